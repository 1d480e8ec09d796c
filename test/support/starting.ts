/** Import this file in a test whose program starts a process, a server or a thread: the test then runs in `npm run test:all`. */
export {};
