//! The playground: a scenario in, what happened in it out, in a browser.
