//! The examples are in the folder `examples` of the repository.
