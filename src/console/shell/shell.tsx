/** The frame of every page: where one is, who one is, and whether what is shown is current. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { version } from '../queries.ts';
import { useKeys } from './keys.ts';
import { useLive } from './live-context.tsx';
import { KeyList, Palette } from './palette.tsx';
import { useTheme } from './theme.ts';

const THEME_NAMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

function useShellKeys(open: (dialog: 'palette' | 'keys') => void, nextTheme: () => void): void {
  const actions = useMemo(
    () => ({ '/': () => open('palette'), '?': () => open('keys'), t: nextTheme }),
    [open, nextTheme],
  );
  useKeys(actions);
}

export function Shell() {
  const [dialog, setDialog] = useState<'palette' | 'keys'>();
  const [theme, nextTheme] = useTheme();
  useShellKeys(setDialog, nextTheme);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Millrace
        </Link>
        <nav aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true }}>
            Overview
          </Link>
          <Link to="/console/jobs/">Jobs</Link>
        </nav>
        <div className="bar-end">
          <LiveMark />
          <button type="button" className="quiet find" onClick={() => setDialog('palette')}>
            Find <kbd>/</kbd>
          </button>
          <button type="button" className="quiet" onClick={nextTheme} title={`Theme: ${THEME_NAMES[theme]}`}>
            <span aria-hidden="true">◐</span>
            <span className="hidden">Theme: {THEME_NAMES[theme]}</span>
          </button>
          <AccountMark />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      <Footer openKeys={() => setDialog('keys')} />
      <Palette
        isOpen={dialog === 'palette'}
        onOpenChange={(isOpen) => setDialog(isOpen ? 'palette' : undefined)}
      />
      <KeyList isOpen={dialog === 'keys'} onOpenChange={(isOpen) => setDialog(isOpen ? 'keys' : undefined)} />
    </>
  );
}

const LIVE_WORDS = {
  waiting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost; connecting again',
  ended: 'Logged out',
} as const;

function LiveMark() {
  const { state } = useLive();
  return (
    <span className={`live ${state}`} role="status">
      <span aria-hidden="true" className="shape">
        {state === 'live' ? '●' : '○'}
      </span>
      <span className="live-word">{LIVE_WORDS[state]}</span>
    </span>
  );
}

function AccountMark() {
  const { username, mayWrite } = useAccount();
  const live = useLive();
  if (username === undefined) return <span className="soft account">No login required</span>;
  const logOut = async () => {
    await client.post('/v6/logout/');
    live.logOut();
    location.assign('/login/');
  };
  return (
    <span className="account">
      <span title={mayWrite ? 'May read and change' : 'May read only'}>
        {username}
        {!mayWrite && <span className="soft"> (reads only)</span>}
      </span>
      <button type="button" className="quiet" onClick={() => void logOut()}>
        Log out
      </button>
    </span>
  );
}

function Footer({ openKeys }: { readonly openKeys: () => void }) {
  const { data } = useQuery(version);
  return (
    <footer>
      <span>Millrace {data?.version}</span>
      <a href="/docs/guide/">Guide</a>
      <a href="/docs/">Interface</a>
      <button type="button" className="link" onClick={openKeys}>
        Keys
      </button>
    </footer>
  );
}
