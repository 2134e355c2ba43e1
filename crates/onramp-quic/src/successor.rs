//! A controller of the library that goes on after the start-up.

/// A controller of the library, such as its BBR. It sees all events from the first packet on, and
/// begins where the start-up ends.
#[derive(Debug)]
pub(crate) struct Successor<C: ?Sized> {
    /// `None`: CUBIC goes on.
    controller: Option<Box<C>>,
    has_begun: bool,
}

impl<C: ?Sized> Successor<C> {
    pub fn new(controller: Option<Box<C>>) -> Successor<C> {
        Successor {
            controller,
            has_begun: false,
        }
    }

    /// There is one.
    pub fn exists(&self) -> bool {
        self.controller.is_some()
    }

    /// Reports an event to it, if it is there. True: it has begun, and the start-up is over.
    pub fn report(&mut self, event: impl FnOnce(&mut C)) -> bool {
        if let Some(controller) = &mut self.controller {
            event(controller);
        }
        self.has_begun
    }

    /// It begins, if it is there and the start-up is over.
    pub fn begin(&mut self, startup_is_over: bool) {
        self.has_begun = startup_is_over && self.exists();
    }

    /// The controller, if it has begun.
    pub fn begun(&self) -> Option<&C> {
        self.controller.as_deref().filter(|_| self.has_begun)
    }

    /// A copy, with a copy of the controller.
    pub fn copied(&self, copy: impl Fn(&C) -> Box<C>) -> Successor<C> {
        Successor {
            controller: self.controller.as_deref().map(copy),
            has_begun: self.has_begun,
        }
    }
}
