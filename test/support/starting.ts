/** Imported by a test whose program starts a process, a server or a thread, where no other import says so: it runs in `npm run test:all`. */
export {};
