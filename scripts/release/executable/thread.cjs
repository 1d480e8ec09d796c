/** A thread of svc as one file: what `bin/thread.js` is in a package. */
'use strict';

require('../../../bin/program.js').openProgram(require('./files.cjs')).load(`${process.argv[2]}.js`);
