import { compare } from './compare.mts';
import { type FilledService, startFilledService } from './filled-service.mts';
import { timeOfRequest } from './shared-service.mts';
import type { Measurement } from './types.mts';

/** The pages for browsers. A val of the filled services has ten runs, so a hundred runs are those of ten vals. */
export const pages: Measurement = {
  name: 'pages',
  once: true,
  async measure(bench) {
    const large = await startFilledService(bench, 'SQLite', 100_000);
    const tenVals = await startFilledService(bench, 'SQLite', 100);
    const tenRuns = await startFilledService(bench, 'SQLite', 10);
    const page = (service: FilledService, path: string, among: string) => ({
      name: `page ${path} of ${among}`,
      take: () => timeOfRequest(() => service.page(path)),
    });
    const line = (path: string, few: FilledService, kind: 'vals' | 'runs') => ({
      what: page(large, path, large[kind]),
      to: page(few, path, few[kind]),
      atMost: 2,
    });
    try {
      return await compare(bench.often, [
        line('/', tenVals, 'vals'),
        line('/vals/val-0', tenVals, 'vals'),
        line('/vals/val-0/versions/1', tenVals, 'vals'),
        line('/runs', tenRuns, 'runs'),
        line('/runs?error=false', tenRuns, 'runs'),
        line('/runs/run-0', tenRuns, 'runs'),
      ]);
    } finally {
      await Promise.all([large.stop(), tenVals.stop(), tenRuns.stop()]);
    }
  },
};
