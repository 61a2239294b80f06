/** The address that a request comes from. */
import t from 'tap';
import { createProxies } from '../../src/auth/proxies.ts';
import { holderOf, isAddressRange, isLoopbackAddress, plainAddress } from '../../src/lib/addresses.ts';

const originOf = (trusted: string[], address: string, headers: Record<string, string>) =>
  createProxies(trusted).originOf(address, new Map(Object.entries(headers)));

t.test('proxies: forwarded headers count only from trusted proxies', async (t) => {
  const headers = { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https' };
  t.same(originOf([], '10.0.0.1', headers), { address: '10.0.0.1', scheme: 'http' });
  t.same(originOf(['10.0.0.2'], '10.0.0.1', headers), { address: '10.0.0.1', scheme: 'http' });
  t.same(originOf(['10.0.0.1'], '10.0.0.1', headers), { address: '1.2.3.4', scheme: 'https' });
});

t.test('proxies: the chain of addresses is read from its end, as far as it is trusted', async (t) => {
  const trusted = ['10.0.0.0/8', 'fd00::/8'];
  for (const [chain, address] of [
    ['6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['6.6.6.6, 1.2.3.4, 10.9.9.9, fd00::7', '1.2.3.4'],
    ['10.1.1.1', '10.1.1.1'],
    ['', '10.0.0.1'],
    ['nonsense', '10.0.0.1'],
    ['1.2.3.4, nonsense', '10.0.0.1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:db8::1', '2001:db8::1'],
  ] as const) {
    t.equal(originOf(trusted, '10.0.0.1', { 'x-forwarded-for': chain }).address, address, chain);
  }
  t.equal(originOf(trusted, '0000:0000:0000:0000:0000:ffff:0a00:0001', {}).address, '10.0.0.1');
  for (const proto of ['http', 'HTTPS ', 'https, http', 'javascript:']) {
    const { scheme } = originOf(trusted, '10.0.0.1', { 'x-forwarded-proto': proto });
    t.equal(scheme, proto === 'HTTPS ' ? 'https' : 'http', proto);
  }
});

t.test('addresses: loopback addresses and ranges are recognized', async (t) => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
  ]) {
    t.ok(isLoopbackAddress(address), address);
  }
  for (const address of ['128.0.0.1', '::2', '', 'localhost', '127.0.0.1.example.org']) {
    t.notOk(isLoopbackAddress(address), address);
  }
  for (const range of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'])
    t.ok(isAddressRange(range), range);
  for (const range of [
    '',
    '10.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ]) {
    t.notOk(isAddressRange(range), range);
  }
  t.equal(
    plainAddress('2001:db8::ffff:1.2.3.4'),
    '2001:db8::ffff:1.2.3.4',
    'only mapped addresses are converted',
  );
});

t.test('addresses: all addresses of an IPv6 network have one holder', async (t) => {
  for (const [address, holder] of [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8::1:2:3:1.2.3.4', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['nonsense', 'nonsense'],
  ] as const) {
    t.equal(holderOf(address), holder, address);
  }
});
