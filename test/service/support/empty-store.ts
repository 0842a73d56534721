import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../src/service/database/open-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    emptyStore: string;
  }
}

export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'vals-test-'));
  const file = join(folder, 'empty.db');
  // Only the tables: each copy gets an owner and a token of its own when it is opened.
  await (await openDatabase({ file })).close();
  provide('emptyStore', file);
  return () => rmSync(folder, { recursive: true });
}
