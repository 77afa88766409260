//! All integration tests in one binary, so that they are linked once.

<<<<<<< HEAD
mod command;
=======
mod replies;
mod run;
>>>>>>> main
mod sandbox;
mod support;
