pub fn page() {}
