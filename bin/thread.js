/** A thread of the program: the part that its first argument names, out of the pack that its second one names. */
'use strict';

const [name, id] = process.argv.slice(2);
require('./program.js').openProgram(require('./files.js'), { id }).load(`${name}.js`);
