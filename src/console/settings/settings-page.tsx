/** The service itself: its scheduler's settings, what it depends on, the keys of its secrets, and this browser. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { sentence } from '../format/sentence.ts';
import { type SystemStatus, systemStatus } from '../overview/queries.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { partName, StatusMark } from '../parts/status.tsx';
import { schedulerSettings } from '../queue/queries.ts';
import { SchedulerActions } from '../queue/scheduler.tsx';
import { version } from '../shell/queries.ts';

type Dependencies = SystemStatus['dependencies'];
type Dependency = Omit<Dependencies[keyof Dependencies], 'OK'>;

const secretKeys = queryOptions({
  queryKey: ['secret-keys'],
  queryFn: ({ signal }) => client.get('/v6/secret-keys/', { signal }),
});

export function SettingsPage() {
  const { mayWrite } = useAccount();
  return (
    <div className="page">
      <PageHead title="Settings" />
      <Scheduler />
      <DependencyTable />
      {mayWrite && <SecretKeys />}
      <section aria-label="Program">
        <h2>Program</h2>
        <dl className="facts">
          <Fact name="Version">{useQuery(version).data?.version ?? '–'}</Fact>
          <Fact name="Set at its start">
            By the environment and flags of each program: <a href="/docs/guide/settings/">all settings</a>
          </Fact>
        </dl>
      </section>
    </div>
  );
}

function Scheduler() {
  const { mayWrite } = useAccount();
  return (
    <section aria-label="Scheduler">
      <Loaded query={useQuery(schedulerSettings)}>
        {(settings) => (
          <>
            <div className="section-head">
              <h2>Scheduler</h2>
              {mayWrite && (
                <div className="page-actions">
                  <SchedulerActions key={settings.object_version} settings={settings} />
                </div>
              )}
            </div>
            <dl className="facts">
              <Fact name="State">
                <StatusMark
                  status={settings.is_paused ? 'PAUSED' : 'READY'}
                  text={settings.is_paused ? 'Paused' : 'Places jobs'}
                />
              </Fact>
              <Fact name="Order">{settings.queue_mode === 'FIFO' ? 'Oldest first' : 'Newest first'}</Fact>
              <Fact name="Commits at once">{Math.max(1, settings.num_message_handlers)}</Fact>
              <Fact name="Level of logs">{settings.system_logging_level}</Fact>
            </dl>
          </>
        )}
      </Loaded>
    </section>
  );
}

function DependencyTable() {
  return (
    <section aria-label="What the service depends on">
      <h2>What the service depends on</h2>
      <Loaded query={useQuery(systemStatus)}>
        {({ dependencies }) => (
          <Rows label="Dependencies" heads={['Part', 'State', 'Details']}>
            {Object.entries(dependencies).map(([name, { OK, detail, errors, warnings }]) => (
              <tr key={name}>
                <th scope="row">{partName(name)}</th>
                <td>
                  <StatusMark status={OK ? 'READY' : 'FAILED'} text={OK ? 'OK' : 'Not OK'} />
                </td>
                <td className="soft">{detailsOf({ detail, errors, warnings })}</td>
              </tr>
            ))}
          </Rows>
        )}
      </Loaded>
    </section>
  );
}

/** Problems, or what the service says of a part that has none. */
function detailsOf({ detail, errors, warnings }: Dependency): string {
  const problems = [...errors, ...warnings].flatMap((one) => Object.values(one));
  if (problems.length > 0) return problems.map((text) => sentence(text)).join('; ');
  const { msg } = detail as { readonly msg?: string | undefined };
  return sentence(msg ?? '');
}

function SecretKeys() {
  return (
    <section aria-label="Keys of secrets">
      <h2>Keys of secrets</h2>
      <Loaded query={useQuery(secretKeys)}>
        {({ results }) => (
          <Rows
            label="List of keys"
            isStacked
            heads={['Key', 'State', 'On coordinators', 'Began', 'Completed']}
          >
            {results.map(({ id, is_current, holder_count, coordinator_count, began, completed }) => (
              <tr key={id}>
                <td className="mono">{id}</td>
                <td>{is_current ? 'Encrypts and decrypts' : 'Only decrypts'}</td>
                <td className="number">
                  {holder_count} of {coordinator_count}
                </td>
                <td>
                  <Instant at={began} />
                </td>
                <td>
                  <Instant at={completed} />
                </td>
              </tr>
            ))}
          </Rows>
        )}
      </Loaded>
    </section>
  );
}
