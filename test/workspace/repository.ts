import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment, temporaryFolder } from '../support/program.ts';
import { type Env, Place } from './support.ts';

let seconds = 1_800_000_000;

/** A workspace in a repository of git, of one person or of CI, with a home of its own. */
export class Clone extends Place {
  git(...args: string[]): string {
    seconds += 10;
    const date = `${seconds} +0000`;
    const person = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.com'],
      [`GIT_${who}_DATE`, date],
    ]);
    return execFileSync('git', ['-c', 'advice.detachedHead=false', ...args], {
      cwd: this.folder,
      env: { ...environment(this.home), ...Object.fromEntries(person) },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  /** Returns false where git refuses, such as a commit without a change. */
  tryGit(...args: string[]): boolean {
    try {
      this.git(...args);
      return true;
    } catch {
      return false;
    }
  }

  /** Writes the files, removes those without a text, and commits everything. */
  commit(files: Record<string, string | undefined> = {}): void {
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) this.remove(path);
      else this.put({ [path]: text });
    }
    this.git('add', '-A');
    this.git('commit', '-qm', 'change');
  }

  has = (file: string): boolean => existsSync(join(this.folder, file));

  /** The ids of all codes in the history of HEAD. */
  history(): Set<string> {
    if (!this.tryGit('rev-parse', 'HEAD')) return new Set();
    const objects = this.git('rev-list', '--objects', 'HEAD').split('\n');
    return new Set(objects.map((line) => line.split(' ', 1)[0] ?? ''));
  }

  /** Another clone of the same repository: a colleague, or CI. */
  clone(...options: string[]): Clone {
    const folder = join(temporaryFolder(), 'clone');
    this.git('clone', '-q', ...options, `file://${this.folder}`, folder);
    return new Clone(folder, this.env);
  }
}

/** A repository with a vals.json and these files, committed. */
export function repository(env: Env, files: Record<string, string>): Clone {
  const clone = new Clone(temporaryFolder(), env);
  clone.git('init', '-q', '-b', 'main');
  clone.commit({ 'vals.json': '{}' });
  clone.commit(files);
  return clone;
}
