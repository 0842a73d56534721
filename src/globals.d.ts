/** The package's version, set by the build. */
declare const VERSION: string;

/** Node has it; its types have not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
}

declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>;
  export = bytes;
}
