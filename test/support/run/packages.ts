/** Installs missing Debian packages of the test services, if this runs as root and there is apt-get. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findProgram } from '../services/find-program.ts';
import { CEPH_PACKAGES } from '../services/s3.ts';

const PACKAGES = [
  { program: 'nats-server', package: 'nats-server' },
  { program: 'busybox', package: 'busybox-static' },
  { program: 'dockerd', package: 'docker.io' },
  { program: 'docker-registry', package: 'docker-registry' },
  { program: 'runc', package: 'runc' },
  { program: 'skopeo', package: 'skopeo' },
  { program: 'umoci', package: 'umoci' },
  { program: 'faketime', package: 'faketime' },
  { program: 'chromium-headless-shell', package: 'chromium-headless-shell' },
  { program: 'firefox-esr', package: 'firefox-esr' },
  { program: 'zsh', package: 'zsh' },
  { program: 'fish', package: 'fish' },
  { program: 'promtool', package: 'prometheus' },
  ...CEPH_PACKAGES,
];

/** Prints each step first. After a failure, tests that need the program are not run. */
export async function installMissing(say: (line: string) => void): Promise<void> {
  const missing = PACKAGES.filter(({ program }) => findProgram(program) === undefined).map(
    (entry) => entry.package,
  );
  await installPackages(missing, say);
}

/** Does nothing without root or apt-get. The caller checks whether the programs exist afterwards. */
export async function installPackages(
  packages: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const apt = findProgram('apt-get');
  const isOurs = process.getuid?.() === 0 && apt !== undefined && existsSync('/etc/debian_version');
  if (packages.length === 0 || !isOurs || process.env.MILLRACE_TEST_INSTALL === '0') return;
  say(`installing Debian packages: ${packages.join(' ')} (MILLRACE_TEST_INSTALL=0 prevents this)`);
  if (!(await runApt(apt, ['update'], say))) return;
  await runApt(apt, ['install', '-y', '--no-install-recommends', ...packages], say);
}

function runApt(apt: string, args: readonly string[], say: (line: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    // Another installation may hold apt's lock for a while.
    const child = spawn(apt, ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 300_000,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-2_000);
    });
    child.on('error', () => resolve(false));
    child.on('close', (code) => {
      if (code !== 0) say(`apt-get ${args[0]} ended with ${code}: ${stderr.trim()}`);
      resolve(code === 0);
    });
  });
}
