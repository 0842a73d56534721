// Loaded before the program, to fix the time, so that the picture of a session changes only with the program.
const now = Date.parse('2026-03-14T15:09:26Z');

Date.now = () => now;
globalThis.Date = new Proxy(Date, {
  construct: (original, given) => Reflect.construct(original, given.length === 0 ? [now] : given),
});
