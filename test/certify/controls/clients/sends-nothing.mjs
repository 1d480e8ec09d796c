/** Not judged: the client talks to a fake of its own. */
console.log('12 passed');
