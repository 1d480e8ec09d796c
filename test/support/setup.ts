import fc from 'fast-check';
import './guard.js';

// Random cases are fixed, so the same tree passes or fails each time. Long runs (`SOAK`) draw new cases, and a failure prints its seed.
if (process.env['SOAK'] === undefined) fc.configureGlobal({ seed: 20_261_123 });
