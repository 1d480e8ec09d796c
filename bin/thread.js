'use strict';

const [name, id] = process.argv.slice(2);
require('./program.js').openProgram(require('./files.js'), { id }).load(`${name}.js`);
