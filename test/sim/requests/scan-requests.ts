/** What people request of scans: that they run, stop, or take other files; in the end, that they have taken all. */
import type { AnyMessage } from '../../../src/kernel/mod.ts';
import { SCAN, SCANS, workspaceUuid } from '../scenario.ts';
import { liveIngestJobs } from '../store/load/scan-loads.ts';
import type { IngestRow, ScanDbRow } from '../store/tables.ts';
import type { World } from '../world.ts';

export class DrawnScanRequests {
  readonly #world: World;
  readonly #ask: <M extends AnyMessage>(kind: string, id: number, message: M) => void;

  constructor(world: World, ask: <M extends AnyMessage>(kind: string, id: number, message: M) => void) {
    this.#world = world;
    this.#ask = ask;
  }

  /** Mostly of a scan whose files are being ingested, when there is one: what is canceled then is waited for. */
  act(): void {
    const { random } = this.#world;
    const busy = Object.values(SCAN).filter((id) => this.#isIngesting(id));
    if (busy.length > 0 && random.chance(0.5)) {
      this.#ask('scan', random.pick(busy) ?? 1, { type: 'cancel' });
      return;
    }
    const id = random.pick(Object.values(SCAN)) ?? 1;
    const draw = random.next();
    if (draw < 0.55) this.#ask('scan', id, { type: 'process', mode: 'ingest' });
    else if (draw < 0.75) this.#ask('scan', id, { type: 'process', mode: 'dry_run' });
    else if (draw < 0.9) this.#ask('scan', id, { type: 'cancel' });
    else this.#ask('scan', id, { type: 'edit', configuration: { ...SCANS[id] } });
  }

  #isIngesting(scanId: number): boolean {
    const isOpen = ({ owner, status }: IngestRow) =>
      owner.kind === 'scan' && owner.key === scanId && ['TRANSFERRED', 'INGESTING'].includes(status);
    return this.#world.store.tables.ingests.where(isOpen).length > 0;
  }

  /** Runs every scan until nothing is left to be found, and counts what is there once more. */
  heal(): void {
    for (const scan of this.#world.store.tables.scans.rows.values()) {
      for (const jobId of movedAndCanceled(this.#world, scan))
        this.#ask('scan', scan.id, { type: 'requeueJobs', jobIds: [jobId] });
      const mode = wantedOf(this.#world, scan);
      if (mode !== undefined && isIdle(this.#world, scan))
        this.#ask('scan', scan.id, { type: 'process', mode });
    }
  }
}

/**
 * Jobs of canceled ingests whose file is not there any more: an agent that counted as lost had moved it. No scan finds
 * those; asked to be done again, they find what it left.
 */
function movedAndCanceled({ store, disks }: World, { id, workspaceId }: ScanDbRow): number[] {
  const { files } = disks.directory(workspaceUuid(workspaceId));
  const canceled = store.tables.ingests.where(
    ({ owner, status, filePath }) =>
      owner.kind === 'scan' && owner.key === id && status === 'ERRORED' && !files.has(filePath),
  );
  return canceled.flatMap(({ jobId }) => jobId ?? []);
}

function isIdle({ store }: World, scan: ScanDbRow): boolean {
  const { lastIngestId } = liveIngestJobs(store.tables, scan.id);
  const isAtRest = scan.run === null && scan.cancelThrough === null && scan.waiting.length === 0;
  return isAtRest && lastIngestId === 0;
}

/** What a scan must still do before the world may rest. */
export function wantedOf(world: World, scan: ScanDbRow): 'ingest' | 'dry_run' | undefined {
  const { tables } = world.store;
  const isTaken = (path: string, identity: string): boolean =>
    tables.ingests.where(
      (one) => one.filePath === path && one.arrival === identity && one.workspaceId === scan.workspaceId,
    )[0]?.status === 'INGESTED';
  const open = world.drops.some(
    (one) =>
      one.workspaceId === scan.workspaceId &&
      !one.isReplaced &&
      !world.isPurged(one) &&
      !isTaken(one.path, one.identity),
  );
  if (open) return 'ingest';
  const { size } = world.disks.directory(workspaceUuid(scan.workspaceId)).files;
  const isCounted = scan.counts?.mode === 'dry_run' && scan.counts.matched === size;
  return isCounted ? undefined : 'dry_run';
}
