// From the TypeScript and JSX of a val to what Node runs, each line on its line.
import { SourceMap } from 'node:module';
import { extname } from 'node:path';
import { Script } from 'node:vm';
import { type Options, transform } from 'sucrase';

export interface Place {
  /** From 1, both. */
  line: number;
  column: number;
}

/** The code breaks the rules of the language. */
export class SyntaxProblem extends Error {
  constructor(
    message: string,
    readonly place: Place | undefined,
  ) {
    super(message);
  }
}

/** Code with its file's name, or that of a val, which has no extension. */
export interface Source {
  name: string;
  code: string;
}

export const transpile = ({ name, code }: Source): string => transformed({ name, code }).code;

/** Where in the source a place of the transpiled code comes from. */
export const placeInSource = (source: Source, place: Place): Place =>
  mapped(transformed(source, { sourceMapOptions: { compiledFilename: source.name } }), place);

/** V8 says no more of a module than what is wrong; of a script it says where. */
export function findSyntaxProblem(source: Source): Place | undefined {
  const asScript = transformed(source, { sourceMapOptions: { compiledFilename: source.name } }, ['imports']);
  const opening = 'async()=>{';
  try {
    new Script(`${opening}${asScript.code}\n}`, { filename: 'val' });
    return undefined;
  } catch (error) {
    const [first = '', , marks = ''] = `${(error as Error).stack}`.split('\n');
    const line = Number(/^val:(\d+)$/.exec(first)?.[1]);
    if (!line) return undefined;
    const column = marks.indexOf('^') + 1 - (line === 1 ? opening.length : 0);
    return mapped(asScript, { line, column: Math.max(column, 1) });
  }
}

type Transformed = ReturnType<typeof transform>;

function mapped({ sourceMap }: Transformed, place: Place): Place {
  const entry = new SourceMap(sourceMap as never).findEntry(place.line - 1, place.column - 1);
  return 'originalLine' in entry && entry.originalLine === place.line - 1
    ? { line: place.line, column: entry.originalColumn + 1 }
    : place;
}

function transformed(source: Source, more: Partial<Options> = {}, transforms: Options['transforms'] = []) {
  const attempts = dialectsOf(source.name).map((dialect) => () => {
    return transform(source.code, {
      transforms: [...dialect, ...transforms],
      filePath: source.name,
      disableESTransforms: true,
      preserveDynamicImport: true,
      production: true,
      ...jsxOptions(source.code),
      ...more,
    });
  });
  let farthest: SyntaxProblem | undefined;
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      const problem = problemOf(error as Error);
      if ((problem.place?.line ?? 0) >= (farthest?.place?.line ?? 0)) farthest = problem;
    }
  }
  throw farthest;
}

type Dialect = ('typescript' | 'jsx')[];

/** A val of the service is TypeScript, with JSX or with what looks like it and is a type. */
function dialectsOf(name: string): Dialect[] {
  switch (extname(name)) {
    case '.ts':
    case '.mts':
      return [['typescript']];
    case '.tsx':
      return [['typescript', 'jsx']];
    case '.js':
    case '.mjs':
    case '.jsx':
      return [['jsx']];
    default:
      return [['typescript', 'jsx'], ['typescript']];
  }
}

/** As the comments of the code say, as TypeScript and Babel read them; else React's automatic runtime. */
function jsxOptions(code: string): Partial<Options> {
  const pragma = (name: string) => new RegExp(`/\\*[*\\s][^/]*@${name}\\s+([^\\s*]+)`).exec(code)?.[1];
  const factory = pragma('jsx');
  const runtime = pragma('jsxRuntime') ?? (factory === undefined ? 'automatic' : 'classic');
  if (runtime === 'classic') {
    return {
      jsxRuntime: 'classic',
      jsxPragma: factory ?? 'React.createElement',
      jsxFragmentPragma: pragma('jsxFrag') ?? 'React.Fragment',
    };
  }
  return { jsxRuntime: 'automatic', jsxImportSource: pragma('jsxImportSource') ?? 'react' };
}

/** As `Error transforming x.ts: Unexpected token (1:11)`. */
function problemOf({ message, loc }: Error & { loc?: Place }): SyntaxProblem {
  const said = message.replace(/^Error transforming .*?: /s, '').replace(/ \(\d+:\d+\)$/, '');
  return new SyntaxProblem(said, loc && { line: loc.line, column: loc.column });
}
