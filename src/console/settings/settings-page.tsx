/** The service itself: its scheduler's settings, what it depends on, the keys of its secrets, and this browser. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { systemStatus } from '../overview/queries.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Rows } from '../parts/rows.tsx';
import { Loaded } from '../parts/states.tsx';
import { StatusMark, wordOf } from '../parts/status.tsx';
import { schedulerSettings } from '../queue/queries.ts';
import { SchedulerActions } from '../queue/scheduler.tsx';
import { version } from '../shell/queries.ts';

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
      <Dependencies />
      {mayWrite && <SecretKeys />}
      <section aria-label="Program">
        <h2>Program</h2>
        <dl className="facts">
          <Fact name="Version">{useQuery(version).data?.version ?? '–'}</Fact>
          <Fact name="Set at its start">
            by the environment and flags of each program: <a href="/docs/guide/settings/">all settings</a>
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
              <Fact name="Order">{settings.queue_mode === 'FIFO' ? 'oldest first' : 'newest first'}</Fact>
              <Fact name="Commits at once">{Math.max(1, settings.num_message_handlers)}</Fact>
              <Fact name="Level of logs">{settings.system_logging_level}</Fact>
            </dl>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Dependencies() {
  return (
    <section aria-label="What the service depends on">
      <h2>What the service depends on</h2>
      <Loaded query={useQuery(systemStatus)}>
        {({ dependencies }) => (
          <Rows label="Dependencies" heads={['Part', 'State', 'Says']}>
            {Object.entries(dependencies).map(([name, { OK, errors, warnings }]) => (
              <tr key={name}>
                <th scope="row">{wordOf(name.toUpperCase())}</th>
                <td>
                  <StatusMark status={OK ? 'READY' : 'FAILED'} text={OK ? 'In order' : 'Not in order'} />
                </td>
                <td className="soft">
                  {[...errors, ...warnings].flatMap((one) => Object.values(one)).join('; ')}
                </td>
              </tr>
            ))}
          </Rows>
        )}
      </Loaded>
    </section>
  );
}

function SecretKeys() {
  return (
    <section aria-label="Keys of secrets">
      <h2>Keys of secrets</h2>
      <Loaded query={useQuery(secretKeys)}>
        {({ results }) => (
          <Rows label="List of keys" heads={['Key', 'State', 'On coordinators', 'Began', 'Completed']}>
            {results.map(({ id, is_current, holder_count, coordinator_count, began, completed }) => (
              <tr key={id}>
                <td className="mono">{id}</td>
                <td>{is_current ? 'encrypts' : 'only decrypts'}</td>
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
