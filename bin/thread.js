/** A thread of the program: the part that its first argument names. */
'use strict';

require('./program.js').openProgram(require('./files.js')).load(`${process.argv[2]}.js`);
