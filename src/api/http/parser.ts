// Prepares undici's HTTP parser, which is a WebAssembly module.
import { UsageError } from '../../errors.ts';

// An ES import would copy the bytes one by one, which takes 100 ms. `require` does not.
import bytes = require('undici/lib/llhttp/llhttp_simd-wasm.js');

/**
 * Compiles the parser without V8's background optimisation. Node waits for that optimisation before it exits, which would
 * make `vals me` 4.6 times as slow. The caller must keep the module: then V8 reuses it when undici compiles the same bytes.
 */
export function compileParser(): WebAssembly.Module {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const optimisations = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];
  for (const flag of optimisations) setFlagsFromString(`--no-${flag}`);
  const parser = new WebAssembly.Module(bytes);
  // V8 rejects cached bytecode if its flags have changed, so the flags are reset.
  for (const flag of optimisations) setFlagsFromString(`--${flag}`);
  return parser;
}

/** Without this check, undici would fail after it has connected, and the failure would look like a fault of the service. */
export function requireWebAssembly(): void {
  if (!('WebAssembly' in globalThis)) {
    throw new UsageError('Cannot send requests, because this Node runs without WebAssembly.', {
      hint: 'Remove --jitless from NODE_OPTIONS.',
    });
  }
  try {
    new WebAssembly.Memory({ initial: 1 });
  } catch (cause) {
    throw new UsageError('Cannot send requests, because there is not enough memory for WebAssembly.', {
      hint: 'Raise the limit on virtual memory: `ulimit -v unlimited`.',
      cause,
    });
  }
}
