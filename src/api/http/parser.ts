// Prepares undici's parser for HTTP answers. The parser is WebAssembly.
import { UsageError } from '../../errors.ts';

// This is `require`, because the helper code of an ES import would copy the bytes one by one, which takes 100 ms.
import bytes = require('undici/lib/llhttp/llhttp_simd-wasm.js');

/**
 * Compiles the parser without background optimisation. Node waits for the optimisation before it exits, so `vals me` would
 * take 4.6 times as long. The caller has to keep the module: undici compiles the same bytes later, and V8 then reuses
 * the kept module. The V8 flags are reset at once, because V8 accepts bytecode from a cache only if the flags are the same as
 * when the bytecode was made.
 */
export function compileParser(): WebAssembly.Module {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const optimisations = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
  for (const flag of optimisations) setFlagsFromString(`--no-${flag}`);
  const parser = new WebAssembly.Module(bytes);
  for (const flag of optimisations) setFlagsFromString(`--${flag}`);
  return parser;
}

/** Throws if WebAssembly is off or lacks memory. undici would fail only after it has connected, like a fault of the service. */
export function requireWebAssembly(): void {
  if (!('WebAssembly' in globalThis)) {
    throw new UsageError('This Node runs without WebAssembly, which requests need.', {
      hint: 'Remove --jitless from NODE_OPTIONS.',
    });
  }
  try {
    new WebAssembly.Memory({ initial: 1 });
  } catch (cause) {
    throw new UsageError('There is not enough memory for WebAssembly, which requests need.', {
      hint: 'Raise the limit on virtual memory: `ulimit -v unlimited`.',
      cause,
    });
  }
}
