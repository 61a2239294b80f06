/** What an agent tells of its host beside its offer. */
import t from 'tap';
import { Offers } from '../../node-agent/offers.ts';

const WORK = { pulls: 0, endedCount: 0, removals: 0 };

async function openOffers() {
  const folder = t.testdir();
  const offers = new Offers(folder, {});
  await offers.measure();
  let told = 0;
  offers.onChange = () => {
    told += 1;
  };
  return { folder, offers, toldCount: () => told };
}

t.test('offers: the resources of the whole host are reported beside the offered ones', async (t) => {
  const { folder, offers } = await openOffers();
  const { host, resources } = offers.next();
  t.equal(host?.taskFolder, folder);
  for (const name of ['cpus', 'mem', 'disk', 'gpus']) {
    t.ok((host?.resources[name] ?? -1) >= (resources[name] ?? 0), name);
  }
  t.ok((host?.resources.mem ?? 0) > (resources.mem ?? 0), 'a part is kept for the host');
  offers.drain();
  t.strictSame(offers.next().resources, {});
  t.match(offers.next(), { host: { resources: { mem: Number } } });
  t.strictSame(offers.resources, {}, 'nor does a hello offer anything');
});

t.test('offers: changes of a node’s work are reported, and slow clean-ups cause a warning', async (t) => {
  const { offers, toldCount } = await openOffers();
  await offers.refresh({ ...WORK, pulls: 2, removals: 1 });
  t.strictSame(offers.next().host?.tasks, [
    { type: 'image-pull', count: 2 },
    { type: 'cleanup', count: 1 },
  ]);
  t.ok(toldCount() > 0);

  await offers.refresh({ ...WORK, endedCount: 99 });
  t.match(offers.next(), { host: { tasks: [] }, warnings: [] });
  await offers.refresh({ ...WORK, endedCount: 100 });
  t.match(offers.next().warnings, [{ name: 'SLOW_CLEANUP', title: 'Slow Cleanup', description: /^100 / }]);
  await offers.refresh(WORK);
  t.strictSame(offers.next().warnings, []);
});
