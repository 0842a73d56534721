// Uses `require`, because an ES import would copy the bytes one by one, which takes 100 ms.
import bytes = require('undici/lib/llhttp/llhttp_simd-wasm.js');

/**
 * Compiles undici's HTTP parser without V8's background optimisation. Otherwise Node would wait for the optimisation
 * before Node exits, and `vals me` would take 4.6 times as long.
 *
 * Later, undici compiles the same bytes. V8 then reuses this module, if the caller has kept it.
 */
export function compileParser(): WebAssembly.Module {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const optimisations = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
  for (const flag of optimisations) setFlagsFromString(`--no-${flag}`);
  const parser = new WebAssembly.Module(bytes);
  // Resets the flags, because V8 would otherwise reject the bytecode that bin/code-cache.js stores.
  for (const flag of optimisations) setFlagsFromString(`--${flag}`);
  return parser;
}
