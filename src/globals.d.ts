/** The version in package.json. The build replaces this constant and the next one. */
declare const VERSION: string;

/** The folder of the built program. */
declare const DIST: string;

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
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici';
  export = EnvHttpProxyAgent;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  function connect(this: Dispatcher, options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  export = connect;
}

declare module 'undici/lib/llhttp/llhttp_simd-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>;
  export = bytes;
}
