// undici's parser of answers, which is WebAssembly: compiled while the first connection is on its way.
import bytes from 'undici/lib/llhttp/llhttp_simd-wasm.js';

const kept: WebAssembly.Module[] = [];

/**
 * It takes 5 to 7 ms, for which undici would let the service wait. V8 keeps what it compiled for as long as somebody
 * has it, and gives it to whoever comes with the same bytes.
 *
 * V8 would also optimise it while it runs, which takes 130 ms, for which Node waits before it exits, and 30 MB. The flags
 * are set back at once: while they differ from what Node was built with, V8 refuses compiled code, that of Node's own
 * modules included.
 */
export function compileParser(): void {
  if (kept.length > 0 || typeof WebAssembly === 'undefined') return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const optimising = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
  for (const flag of optimising) setFlagsFromString(`--no-${flag}`);
  kept.push(new WebAssembly.Module(bytes));
  for (const flag of optimising) setFlagsFromString(`--${flag}`);
}
