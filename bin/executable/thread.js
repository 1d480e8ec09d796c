/** A thread of svc as one file: what `bin/thread.js` is in a package. */
'use strict';

require('../program.js').openProgram(require('./files.js')).load(`${process.argv[2]}.js`);
