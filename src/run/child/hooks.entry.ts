// Hooks of Node's module loader. They run in the val's thread, or on older Nodes in a thread of their own.
import { pathToFileURL } from 'node:url';
import { type Answer, type Ask, isRemote, withoutNpm } from '../protocol.ts';
import { ask, type Lock } from './channel.ts';

interface ResolveContext {
  parentURL?: string | undefined;
  conditions: readonly string[];
}

interface LoadContext {
  format?: string | null | undefined;
  /** Node 20 leaves them out. */
  conditions?: readonly string[];
  importAttributes?: { type?: string };
}

type Resolved = { url: string; shortCircuit?: boolean };
type Loaded = { format: string; source?: unknown; shortCircuit?: boolean };
/** In a thread of their own, hooks may return promises. */
type MaybeLater<T> = T | Promise<T>;

let lock: Lock | undefined;
let entry: string | undefined;
const answers = new Map<string, Answer>();
const ownPrograms = `${pathToFileURL(__dirname).href}/`;

export function initialize(given: Lock): void {
  lock = given;
}

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: ResolveContext) => MaybeLater<Resolved>,
): MaybeLater<Resolved> {
  const { parentURL } = context;
  const address = addressOf(specifier, parentURL);
  const { url, error } = address === undefined ? {} : answerFor({ url: address, specifier, from: parentURL });
  if (url !== undefined) {
    entry ??= url;
    return { url, shortCircuit: true };
  }
  if (error !== undefined) throw failed(address, error);
  // What a module on the web imports from a package is a package of the val.
  const from = isRemote(parentURL ?? '') ? { ...context, parentURL: entry } : context;
  const note = (error: unknown) => noteImport(error, specifier, parentURL);
  try {
    const found = next(withoutNpm(specifier), from);
    return found instanceof Promise ? found.catch(note) : found;
  } catch (error) {
    return note(error);
  }
}

export function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => MaybeLater<Loaded>,
): MaybeLater<Loaded> {
  const { format, source, error } = isAsked(url) ? answerFor({ url, specifier: url, from: entry }) : {};
  if (error !== undefined) throw failed(url, error);
  if (format === undefined) return next(url, context);
  if (source === undefined) return next(url, { ...context, format });
  return { format, source, shortCircuit: true };
}

function answerFor(question: Ask): Answer {
  const found = answers.get(question.url);
  if (found !== undefined) return found;
  const answer = ask(question, lock);
  if (answer.url !== undefined) answers.set(question.url, answer).set(answer.url, answer);
  return answer;
}

const failed = (url = '', message: string): Error =>
  isRemote(url) ? new Error(message) : new SyntaxError(message);

/** Undefined for a package. */
function addressOf(specifier: string, from: string | undefined): string | undefined {
  const isPath = /^\.{0,2}\//.test(specifier);
  const isAddress = isPath ? URL.canParse(specifier, from) : /^(?:file|https?):/.test(specifier);
  if (!isAddress) return undefined;
  const { href } = new URL(specifier, from);
  return isAsked(href) ? href : undefined;
}

const isAsked = (url: string): boolean =>
  isRemote(url) || (url.startsWith('file:') && !url.startsWith(ownPrograms));

/** Says in the error what was imported, and where. */
function noteImport(error: unknown, specifier: string, importer: string | undefined): never {
  if (!(error instanceof Error)) throw error;
  throw Object.defineProperties(error, { specifier: { value: specifier }, importer: { value: importer } });
}
