/**
 * No transaction changes an object without telling it. Each table is an object's, with triggers that tell what any
 * statement does to it, or is named here; so is each column that no change follows from.
 */
import t from 'tap';
import { changeStream } from '../../../src/store/change/read.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { ChangeDraws } from '../../conformance/store.ts';
import { beginTwins } from '../../sim/store/twins.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';
import { listedChanges, readAll } from './listed-changes.ts';

/** Objects by their table, and columns that are set once, or follow others, or say how far something has come. */
const OBJECTS: Readonly<Record<string, { readonly kind: string; readonly quiet: string }>> = {
  file: {
    kind: 'file',
    quiet: `uuid file_type file_name media_type file_size sha256 data_type_tags workspace_id file_path deleted
      data_started data_ended source_started source_ended source_sensor_class source_sensor source_collection
      source_task geometry center_point countries meta_data parsed job_id job_exe_id job_type_id job_output
      recipe_id recipe_node recipe_type_id batch_id superseded created`,
  },
  ingest: {
    kind: 'ingest',
    quiet: `strike_id scan_id file_name workspace_id file_path file_size mtime_ms bytes_transferred transfer_started
      transfer_ended media_type data_type_tags ingest_ended created last_modified`,
  },
  job: {
    kind: 'job',
    quiet: `shard owner_kind owner_key job_type_id job_type_rev_id event_id recipe_id recipe_node recipe_ids batch_id
      batch_ids node_id error_id max_tries priority timeout_s class_key resources input output configuration
      input_file_size superseded_job_id request_position created queued started ended last_status_change superseded
      not_before seed_ms`,
  },
  job_exe: {
    kind: 'execution',
    quiet: `job_id exe_num job_type_id job_type_rev_id recipe_id batch_id node_id resources timeout_s input_file_size
      output task_results created queued started ended seed_started seed_ended last_modified used image_digest log_cut`,
  },
  recipe: {
    kind: 'recipe',
    quiet: `shard root_id parent_id parent_node recipe_type_id recipe_type_rev_id event_id batch_id ingest_id
      superseded_recipe_id input configuration jobs_total jobs_pending jobs_blocked jobs_queued jobs_running jobs_failed
      jobs_completed jobs_canceled sub_recipes_total sub_recipes_completed created completed superseded last_modified
      chain_id batch_member_id`,
  },
  recipe_condition: { kind: 'condition', quiet: 'recipe_id node_name reason data created processed' },
  batch: {
    kind: 'batch',
    quiet: `shard recipe_type_id recipe_type_rev_id event_id definition root_batch_id superseded_batch_id cursor
      skipped_count recipes_estimated created superseded last_modified`,
  },
  scan: {
    kind: 'scan',
    quiet: 'shard name job_id dry_run_job_id cursor counts previous_counts created last_modified waiting',
  },
  strike: { kind: 'strike', quiet: 'shard name job_id deferred_cursor listing created last_modified' },
  dataset: { kind: 'dataset', quiet: 'created file_count' },
  node: { kind: 'node', quiet: 'shard boot_id takes_work_ahead last_seen deprecated created last_modified' },
  job_type: {
    kind: 'job_type',
    quiet: 'name version is_system unmet_since created deprecated paused last_modified expires tried_by',
  },
  recipe_type: { kind: 'recipe_type', quiet: 'name is_system created deprecated last_modified' },
  workspace: { kind: 'workspace', quiet: 'uuid name claimed_node_id created deprecated last_modified' },
  purge: {
    kind: 'purge',
    quiet: `shard file_id file_name workspace_id file_path file_size sha256 deletes_source_bytes round is_closed
      is_dirty step removed workspaces problems created completed last_modified`,
  },
  scheduler_settings: { kind: 'scheduler', quiet: 'last_modified' },
  failure_note: { kind: 'failure_note', quiet: 'job_type_id error_id' },
};

/** Tables of what is no object of the stream: parts of objects, counters, accounts, and the machinery of the store. */
const OTHERS = `
  access_token account activity_minute account_identity audit batch_count batch_count_delta change_stream
  change_tick client_spelling coordinator coordinator_warning daily_start daily_start_delta dataset_file
  dataset_member deletion_under_way diagnostic_run error event file_ancestry hour_total
  hour_total_delta idempotency_claim idempotency_key job_failure job_input_file job_log job_outcome
  job_outcome_delta job_request job_request_backlog job_type_former_configuration job_type_rev list_count
  list_count_delta list_day_count load_hour load_minute load_sample login_code login_session mikro_orm_migrations
  node_workspace object_change purge_file purge_job purge_tree purged_product recipe_input_file recipe_node
  recipe_type_job_type recipe_type_rev recipe_type_sub_type reserved_path retention_cursor saved_filter
  schema_migration scheduling_class secret_key secret_key_holder shard_lease tombstone type_update
  type_update_member`;

const words = (text: string): string[] => text.trim().split(/\s+/);

t.test(
  'law: each table belongs to an object whose changes are in the stream, or is listed as an exception',
  async (t) => {
    const world = await storeWorld(t);
    const tables = await world.rows<{ name: string }>(`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`);
    const known = new Set([...Object.keys(OBJECTS), ...words(OTHERS)]);
    t.same(
      tables.map((table) => table.name).filter((name) => !known.has(name)),
      [],
    );
  },
);

for (const [table, { quiet }] of Object.entries(OBJECTS)) {
  t.test(
    `law: ${table} is watched by triggers, and each of its columns raises its version or is named`,
    async (t) => {
      const world = await storeWorld(t);
      const triggers = await world.rows<{ name: string; text: string; enabled: string }>(
        `select tgname as name, pg_get_triggerdef(oid) as text, tgenabled as enabled from pg_trigger
       where tgrelid = $1::regclass and (tgname = $1 || '_version' or tgname like $1 || '\\_tell\\_%') order by 1`,
        [table],
      );
      t.same(
        triggers.map(({ name, enabled }) => [name, enabled]),
        ['tell_delete', 'tell_insert', 'tell_update', 'version'].map((name) => [`${table}_${name}`, 'O']),
      );
      const text = triggers.at(-1)?.text ?? '';
      const raising = new Set([...text.matchAll(/old\.(\w+)/g)].map((found) => found[1]));
      const columns = await world.rows<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
        [table],
      );
      const named = new Set(words(quiet));
      const undecided = columns
        .map((column) => column.name)
        .filter(
          (name) => raising.has(name) === named.has(name) && name !== 'id' && name !== 'object_version',
        );
      t.same(undecided, [], 'decide whether a change of these columns is a change of the object');
    },
  );
}

const STATUS: Readonly<Record<string, string>> = {
  job: 'status',
  job_exe: 'status',
  ingest: 'status',
  recipe: `case when is_completed then 'COMPLETED' else 'OPEN' end`,
  recipe_condition: `case when not is_processed then 'PENDING' when is_accepted then 'ACCEPTED' else 'REJECTED' end`,
};

/** Every object there is: its version and status by kind and id. */
async function objects(world: StoreWorld): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [table, { kind }] of Object.entries(OBJECTS)) {
    const rows = await world.rows<{ id: number; version: number; status: string }>(
      `select id, object_version as version, ${STATUS[table] ?? `''`} as status from ${table}`,
    );
    for (const row of rows) found.set(`${kind}/${row.id}`, `${row.version} ${row.status}`);
  }
  return found;
}

for (let seed = 1; seed <= 3; seed++) {
  t.test(`law: whatever actors save, the stream folded up is the tables, seed ${seed}`, async (t) => {
    const { real, ground } = await beginTwins(t);
    const { sql } = real.db;
    await addTick(sql);
    const folded = await objects(real);
    const from = { tick: (await changeStream(sql)).tick + 1, row: 0, item: 0 };
    const draws = new ChangeDraws(seed, ground);
    for (let at = 0; at < 60; at++) {
      await real.applyAll(...draws.group()).catch(() => undefined);
      if (at % 7 === 0) await addTick(sql);
    }
    await addTick(sql);
    const stated = new Set(
      Object.entries(OBJECTS)
        .filter(([table]) => table in STATUS)
        .map(([, one]) => one.kind),
    );
    for (const { kind, id, version, what, from: before, to } of listedChanges(
      (await readAll(real, from)).rows,
    )) {
      const key = `${kind}/${id}`;
      const [last = '0', status = ''] = folded.get(key)?.split(' ') ?? [];
      if (version !== Number(last) + 1) t.fail(`${key}: ${what} of version ${version} after ${last}`);
      if (stated.has(kind) && (before ?? '') !== status) t.fail(`${key}: from ${before}, was ${status}`);
      if (what === 'removed') folded.delete(key);
      else folded.set(key, `${version} ${stated.has(kind) ? to : ''}`);
    }
    t.strictSame(new Map([...folded].sort()), new Map([...(await objects(real))].sort()));
  });
}
