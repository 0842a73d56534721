/** The build replaces this constant with the version in package.json. */
declare const VERSION: string;

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Memory {
    constructor(size: { initial: number });
  }
}

// undici has no types for these files. vals imports them directly, because undici's index loads many other files, and
// `vals me` would take 1.3 times as long.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export = buildConnector;
}

declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>;
  export = bytes;
}
