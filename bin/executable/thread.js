/** A thread of svc as one file: what `bin/thread.js` is in a package. */
'use strict';

const [name, id] = process.argv.slice(2);
require('../program.js').openProgram(require('./files.js'), { id }).load(`${name}.js`);
