// The build gives undici our parser of answers; inside a test's own process it gets it here.
import { Instance, Module } from '../../src/api/http/answer-parser.ts';

type Imports = ConstructorParameters<typeof Instance>[1];

interface Parsers {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Imports) => { exports: unknown };
  /** As Node has it, which makes undici's own parser. */
  InstanceOfBytes?: Parsers['Instance'];
}

const parsers = (globalThis as unknown as { WebAssembly: Parsers }).WebAssembly;
export const { Module: ModuleOfBytes } = parsers;
/** Several files of tests share a process. */
export const InstanceOfBytes = parsers.InstanceOfBytes ?? parsers.Instance;

class InstanceAsBuilt {
  readonly exports: unknown;

  constructor(module: object, imports: Imports) {
    const isParser = imports.env !== undefined && 'wasm_on_body' in imports.env;
    const instance = isParser ? new Instance(new Module(), imports) : new InstanceOfBytes(module, imports);
    this.exports = instance.exports;
  }
}

Object.assign(parsers, { InstanceOfBytes, Instance: InstanceAsBuilt });
