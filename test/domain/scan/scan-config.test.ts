import t from 'tap';
import { type ScanLookups, validateScanConfiguration } from '../../../src/domain/scan/scan-config.ts';
import type { WorkspaceFacts } from '../../../src/domain/workspace/workspace-config.ts';

const LOOKUPS: ScanLookups = {
  workspaces: new Map<string, WorkspaceFacts>([
    ['w', { brokerType: 'host', isActive: true }],
    ['b', { brokerType: 'objstore', isActive: true }],
  ]),
  recipeTypes: new Map(),
  patternProblem: () => undefined,
};
const scan = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  workspace: 'w',
  scanner: { type: 'dir', transfer_suffix: '_tmp' },
  files_to_ingest: [{ filename_regex: '.*' }],
  ...change,
});
const errorsOf = (document: unknown): string[] => {
  const checked = validateScanConfiguration(document, LOOKUPS);
  return checked.ok ? [] : checked.errors.map((problem) => problem.path);
};

t.test('scan configuration: the recipe is optional, and recursion is the default', async (t) => {
  t.strictSame(validateScanConfiguration(scan(), LOOKUPS), {
    ok: true,
    warnings: [],
    value: {
      workspace: 'w',
      scanner: { type: 'dir', transfer_suffix: '_tmp' },
      recursive: true,
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
    },
  });
  t.match(validateScanConfiguration(scan({ recursive: false, recipe: null }), LOOKUPS), {
    value: { recursive: false },
  });
});

t.test('scan configuration: an answer, which has the scanner twice, may be sent back', async (t) => {
  const scanner = { type: 'dir' };
  t.strictSame(errorsOf(scan({ scanner, monitor: { type: 'dir' } })), []);
  t.strictSame(errorsOf(scan({ scanner, monitor: { type: 'objstore' } })), ['monitor']);
});

t.test('scan configuration: every problem is reported at its path', async (t) => {
  t.strictSame(errorsOf({}), ['workspace', 'scanner', 'scanner.type', 'files_to_ingest']);
  t.strictSame(errorsOf(null), ['']);
  t.strictSame(errorsOf(scan({ scanner: { type: 'dir-watcher' } })), ['scanner.type']);
  t.strictSame(errorsOf(scan({ scanner: { type: 'dir', more: 1 } })), ['scanner.more']);
  t.strictSame(errorsOf(scan({ scanner: { type: 'objstore' } })), ['scanner']);
  t.strictSame(errorsOf(scan({ workspace: 'b', scanner: { type: 'objstore', transfer_suffix: 'x' } })), []);
  t.strictSame(errorsOf(scan({ workspace: 'b', scanner: { type: 'objstore', transfer_suffix: '/' } })), [
    'scanner.transfer_suffix',
  ]);
  t.strictSame(errorsOf(scan({ recursive: 'yes', recipe: { name: 'x' }, unknown: 1 })), [
    'recursive',
    'recipe.name',
    'unknown',
  ]);
});
