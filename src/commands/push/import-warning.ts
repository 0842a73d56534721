import type { Context } from '../../cli/context.ts';
import { firstRelativeImport, relativeImportWarning } from '../../workspace/sources/warnings.ts';

/** A val on the service is a single file, so an import of another file cannot work there. */
export function createImportWarning() {
  const found: { file: string; specifier: string }[] = [];
  return {
    add(file: string, code: string): void {
      const specifier = firstRelativeImport(code);
      if (specifier !== undefined) found.push({ file, specifier });
    },
    warn({ say }: Pick<Context, 'say'>): void {
      const text = relativeImportWarning(found);
      if (text !== undefined) say({ kind: 'warning', text });
    },
  };
}
