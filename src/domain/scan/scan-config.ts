/**
 * The configuration of a scan: the workspace, how it is listed, and the rules; a recipe is optional. Nothing is looked
 * up here and no regular expression is compiled: facts and checks are passed in.
 */
import { Fields } from '../document/fields.ts';
import { checkJson } from '../document/json-value.ts';
import { type IngestRecipe, type RecipeTypeFacts, readIngestRecipe } from '../ingest/ingest-recipe.ts';
import { checkWorkspace, type IngestRule, type RuleLookups, readIngestRules } from '../ingest/ingest-rule.ts';
import { readTransferSuffix } from '../strike/strike-config.ts';
import { type Checked, IssueList } from '../validation.ts';
import type { BrokerType } from '../workspace/workspace-config.ts';

export interface Scanner {
  readonly type: 'dir' | 'objstore';
  /** Files that end with it are still being transferred, and left out. */
  readonly transfer_suffix?: string;
}

export interface ScanConfiguration {
  readonly workspace: string;
  readonly scanner: Scanner;
  readonly recursive: boolean;
  readonly files_to_ingest: readonly IngestRule[];
  readonly recipe?: IngestRecipe;
}

export interface ScanLookups extends RuleLookups {
  readonly recipeTypes: ReadonlyMap<string, RecipeTypeFacts>;
}

const SHAPE = 'INVALID_SCAN_CONFIGURATION';
const SCANNED_BROKERS: Readonly<Record<Scanner['type'], readonly BrokerType[]>> = {
  dir: ['host', 'nfs'],
  objstore: ['objstore'],
};

/** Checks a scan configuration against existing workspaces and recipe types; every problem is reported. */
export function validateScanConfiguration(
  document: unknown,
  lookups: ScanLookups,
): Checked<ScanConfiguration> {
  const issues = new IssueList();
  const value = checkJson(document, issues, SHAPE) ? readScan(issues, document, lookups) : undefined;
  return issues.finish(() => value as ScanConfiguration);
}

function readScan(issues: IssueList, document: unknown, lookups: ScanLookups): ScanConfiguration | undefined {
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return undefined;
  fields.acceptVersion();
  const workspace = fields.text('workspace', { required: true, max: 50 });
  const facts = workspace === undefined ? undefined : checkWorkspace(fields, 'workspace', workspace, lookups);
  const scannerFields = fields.object('scanner', { required: true });
  const scanner = scannerFields === undefined ? undefined : readScanner(scannerFields);
  if (scanner !== undefined && facts !== undefined) {
    const supported = SCANNED_BROKERS[scanner.type];
    if (!supported.includes(facts.brokerType)) {
      const text = `a scanner of type '${scanner.type}' cannot walk a workspace of type '${facts.brokerType}'`;
      fields.error('scanner', text);
    }
  }
  // Answers show the scanner also as `monitor`, so a document may be sent back with both.
  fields.acceptEcho('monitor', fields.raw('scanner'), `'scanner'`);
  const recursive = fields.flag('recursive', true);
  const rules = readIngestRules(issues, fields, SHAPE, lookups);
  const recipe = readIngestRecipe(issues, fields, { required: false }, lookups);
  fields.refuseOthers();
  if (workspace === undefined || scanner === undefined) return undefined;
  const base = { workspace, scanner, recursive, files_to_ingest: rules };
  return recipe === undefined ? base : { ...base, recipe };
}

function readScanner(fields: Fields): Scanner | undefined {
  const type = fields.oneOf('type', ['dir', 'objstore'], { required: true });
  if (type === undefined) return undefined;
  const suffix = readTransferSuffix(fields, SHAPE);
  fields.refuseOthers();
  return suffix === undefined ? { type } : { type, transfer_suffix: suffix };
}

/** The configuration as answers show it, with the scanner also under the name in the contract's examples. */
export function shownScanConfiguration(
  configuration: ScanConfiguration,
): ScanConfiguration & { readonly monitor: Scanner } {
  return { ...configuration, monitor: configuration.scanner };
}
