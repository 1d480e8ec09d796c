/** A setup file of vitest, read anew for every test file of a process; what has to be there once a process is imported. */
import fc from 'fast-check';
import './guard.js';

// The same tree is found good or bad each time. What is long draws anew, and a failure prints its seed.
if (process.env['SOAK'] === undefined) fc.configureGlobal({ seed: 20_261_123 });
