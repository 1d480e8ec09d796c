/** Stands in for a library that the program never uses. */
export default undefined;
