/** Nothing to be judged: it talks to a fake of its own. */
console.log('12 passed');
