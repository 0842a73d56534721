import { SourceMap } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import type { ModuleAnswer } from '../protocol.ts';

export interface LoadProblem {
  failure?: number;
  refusedModule?: string;
  failedImport?: { specifier: string; from: string; code: string };
}

const problems = new WeakMap<object, LoadProblem>();
export const problemOf = (error: unknown): LoadProblem =>
  (typeof error === 'object' && error !== null && problems.get(error)) || {};

type Ask = (specifier: string, from: string) => ModuleAnswer;
type Namespace = Record<string, unknown>;

export function createModules(ask: Ask): { run(entry: ModuleAnswer): Promise<Namespace> } {
  const known = new Map<string | undefined, Promise<vm.Module>>();
  const linked = new Map<vm.Module, Promise<void>>();
  const maps = new Map<string, string>();
  mapStacks((id) => maps.get(id));

  async function load(specifier: string, from: string): Promise<vm.Module> {
    const answer = ask(specifier, from);
    const key = keyOf(answer);
    const module = known.get(key) ?? makeModule(answer, { specifier, from });
    if (key !== undefined) known.set(key, module);
    return module;
  }

  async function makeModule(
    answer: ModuleAnswer,
    request: { specifier: string; from: string },
  ): Promise<vm.Module> {
    if ('failure' in answer) throw withProblem(new Error(answer.message), { failure: answer.failure });
    if ('json' in answer) return moduleOfNamespace(answer.id, { default: parseJson(answer) });
    if ('id' in answer) return moduleOfCode(answer);
    try {
      return moduleOfNamespace(answer.native, await importNatively(answer));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isAboutImport = /^ERR_(MODULE|PACKAGE|UNSUPPORTED|UNKNOWN|INVALID_MODULE|ACCESS|REQUIRE)/.test(
        code,
      );
      throw isAboutImport || code === 'ENOENT'
        ? withProblem(error, { failedImport: { ...request, code } })
        : error;
    }
  }

  function moduleOfCode({ id, code, map, path }: Extract<ModuleAnswer, { code: string }>): vm.Module {
    maps.set(id, map);
    const dynamicImport = async (specifier: string) => {
      const module = await load(specifier, id);
      await ready(module);
      return module;
    };
    try {
      return new vm.SourceTextModule(code, {
        identifier: id,
        initializeImportMeta(meta) {
          meta.url = id;
          if (path !== undefined) Object.assign(meta, { filename: path, dirname: dirname(path) });
        },
        importModuleDynamically: dynamicImport as never,
      });
    } catch (error) {
      throw withProblem(error, { refusedModule: id });
    }
  }

  async function ready(module: vm.Module): Promise<void> {
    let linking = linked.get(module);
    if (linking === undefined) {
      linking =
        module.status === 'unlinked'
          ? module.link((specifier, { identifier }) => load(specifier, identifier))
          : Promise.resolve();
      linked.set(module, linking);
    }
    await linking;
    await module.evaluate();
  }

  return {
    async run(entry) {
      const module = makeModule(entry, { specifier: '', from: '' });
      if ('id' in entry) known.set(entry.id, module);
      await ready(await module);
      return (await module).namespace as Namespace;
    },
  };
}

function keyOf(answer: ModuleAnswer): string | undefined {
  if ('id' in answer) return answer.id;
  return 'native' in answer ? `${answer.native} ${answer.packagesFrom}` : undefined;
}

function importNatively({
  native,
  packagesFrom,
}: Extract<ModuleAnswer, { native: string }>): Promise<Namespace> {
  const script = new vm.Script('(specifier) => import(specifier)', {
    filename: packagesFrom,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext()(native);
}

function parseJson({ id, json }: Extract<ModuleAnswer, { json: string }>): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new SyntaxError(`${basename(fileURLToPath(id))} is not JSON: ${(error as Error).message}`);
  }
}

function moduleOfNamespace(identifier: string, namespace: Namespace): vm.Module {
  const names = Object.keys(namespace);
  return new vm.SyntheticModule(
    names,
    function (this: vm.SyntheticModule) {
      for (const name of names) this.setExport(name, namespace[name]);
    },
    { identifier },
  );
}

function withProblem(error: unknown, problem: LoadProblem): unknown {
  if (typeof error === 'object' && error !== null) problems.set(error, problem);
  return error;
}

function mapStacks(mapOf: (id: string) => string | undefined): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapFor = (id: string) => {
    const text = maps.has(id) ? undefined : mapOf(id);
    if (text !== undefined) maps.set(id, new SourceMap(JSON.parse(text)));
    return maps.get(id);
  };
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) =>
      `${frame}`.replace(/([\w]+:[^\s()]+):(\d+):(\d+)(?=\)?$)/, (place, id, line, column) => {
        const entry = mapFor(id)?.findEntry(line - 1, column - 1);
        if (entry === undefined || !('originalLine' in entry)) return place;
        return `${id}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      }),
    );
    return [Error.prototype.toString.call(error), ...lines].join('\n    at ');
  };
}
