// The three ways to run a val, loaded together when the command is used.
export { serveRequests } from './http.ts';
export { runOnce } from './once.ts';
export { runOnSave } from './watch.ts';
