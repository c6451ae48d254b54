//! Values to what people and tools read.
