/** `/v6/status/`: the state of the whole installation. */
import { type Static, Type } from '@sinclair/typebox';
import { document, id, instant, integer, named } from '../../http/schema.ts';
import { nullableInstant, nullableText } from '../shared/records.ts';

const count = integer({ minimum: 0 });
const State = Type.Object({ name: Type.String(), title: Type.String(), description: Type.String() });
const Condition = named(
  'StatusCondition',
  Type.Object({
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    started: instant(),
    last_updated: instant(),
  }),
);
const Dependency = named(
  'StatusDependency',
  Type.Object({
    OK: Type.Boolean(),
    detail: document('`msg` always; other keys depend on the dependency.'),
    errors: Type.Array(Type.Record(Type.String(), Type.String()), { description: 'Code to text.' }),
    warnings: Type.Array(Type.Record(Type.String(), Type.String()), { description: 'Code to text.' }),
  }),
);
const Amounts = Type.Object({
  offered: Type.Number({ description: 'Can be given to jobs now.' }),
  total: Type.Number({ description: 'What the host has in all.' }),
  running: Type.Number({ description: 'Held by running executions.' }),
  free: Type.Number({ description: 'Left on a node that takes no jobs now, and may be offered later.' }),
  unavailable: Type.Number({
    description: 'Used by other programs, kept for the host, or of a node that is offline or not active.',
  }),
});
const Resources = named(
  'StatusResources',
  Type.Object(
    { mem: Amounts, gpus: Amounts, disk: Amounts, cpus: Amounts },
    { additionalProperties: Amounts, description: 'cpus in cores; mem and disk in MiB; gpus in units.' },
  ),
);
const Counts = Type.Object({
  total: count,
  by_job_type: Type.Array(Type.Object({ job_type_id: id(), count })),
});
const JobExecutions = named(
  'StatusJobExecutions',
  Type.Object(
    {
      running: Counts,
      completed: Counts,
      failed: Type.Object({ total: count, data: Counts, algorithm: Counts, system: Counts }),
    },
    { description: 'Completed and failed ones are those of the last 3 hours.' },
  ),
);
const Task = Type.Object({ type: Type.String(), title: Type.String(), description: Type.String(), count });
const Node = named(
  'StatusNode',
  Type.Object({
    id: id(),
    hostname: Type.String(),
    agent_id: nullableText,
    is_active: Type.Boolean(),
    state: State,
    errors: Type.Array(Condition),
    warnings: Type.Array(Condition),
    node_tasks: Type.Array(Task, { description: 'What its agent does for the node: pulls, clean-ups.' }),
    system_tasks: Type.Array(Task, { description: 'Monitors, listings and ingests that run there.' }),
    num_offers: integer({ minimum: 0, description: '1 while it can take jobs and has something left.' }),
    resources: Resources,
    job_executions: JobExecutions,
  }),
);
const Metrics = Type.Object(
  {
    task_updates_per_sec: Type.Number(),
    new_offers_per_sec: Type.Number({ description: 'Nodes on which an execution ended.' }),
    jobs_finished_per_sec: Type.Number(),
    jobs_launched_per_sec: Type.Number(),
    tasks_launched_per_sec: Type.Number(),
    offers_launched_per_sec: Type.Number({ description: 'Nodes on which an execution started.' }),
    tasks_finished_per_sec: Type.Number(),
  },
  { description: 'Figures of the last ten seconds.' },
);

export const Status = named(
  'Status',
  Type.Object({
    timestamp: instant('When it was made.'),
    dependencies: Type.Object({
      logs: Dependency,
      msg_queue: Dependency,
      database: Dependency,
      search_index: Dependency,
      nodes: Dependency,
      idam: Dependency,
      image_catalog: Dependency,
    }),
    scheduler: Type.Object({
      metrics: Metrics,
      hostname: Type.String(),
      cluster_manager: Type.Object({
        framework_id: Type.String({ description: 'Name of the cluster.' }),
        master_hostname: Type.String({ description: 'The host of the coordinator that owns the scheduler.' }),
        master_port: integer({ minimum: 0 }),
      }),
      state: State,
      warnings: Type.Array(Condition),
    }),
    system: Type.Object({
      database_update: Type.Object({ is_completed: Type.Boolean(), completed: nullableInstant }),
      services: Type.Array(
        Type.Object({
          name: Type.String(),
          title: Type.String(),
          description: Type.String(),
          actual_count: count,
          desired_count: count,
        }),
      ),
    }),
    secrets_store: Type.Object({ status: Type.String(), sealed: Type.Boolean(), message: Type.String() }),
    num_offers: count,
    resources: Resources,
    job_types: Type.Array(
      Type.Object({
        id: id(),
        name: Type.String(),
        version: Type.String(),
        title: Type.String(),
        description: Type.String(),
        is_system: Type.Boolean(),
        icon_code: nullableText,
      }),
    ),
    nodes: Type.Array(Node),
  }),
);
export type StatusDocument = Static<typeof Status>;
