'use strict';

require('./start.js').begin(require('./files.js'));
