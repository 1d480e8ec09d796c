/** A setup file of vitest, read anew for every test file of a process; what has to be there once a process is imported. */
import './guard.js';
