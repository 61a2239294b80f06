/** The frame of every page: the navigation, the account, and the state of the connection. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useAccount } from '../account.ts';
import { client } from '../client.ts';
import { forgetLayouts } from '../graph/kept-layouts.ts';
import { forgetDraftsExceptOf } from '../kept-drafts.ts';
import { Instant } from '../parts/instants.tsx';
import { useKeys } from './keys.ts';
import { useLive } from './live-context.tsx';
import { KeyList, Palette } from './palette.tsx';
import { GROUPS } from './places.ts';
import { version } from './queries.ts';
import { useTheme } from './theme.ts';

const THEME_NAMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

function useShellKeys(open: (dialog: 'palette' | 'keys') => void, nextTheme: () => void): void {
  const actions = useMemo(
    () => ({ '/': () => open('palette'), '?': () => open('keys'), t: nextTheme }),
    [open, nextTheme],
  );
  useKeys(actions);
}

/** On a narrow page the navigation is a menu, which closes after a choice. */
function useMenu(): readonly [isOpen: boolean, toggle: () => void] {
  const path = useLocation({ select: ({ href }) => href });
  const [openAt, setOpenAt] = useState<string>();
  return [openAt === path, () => setOpenAt(openAt === path ? undefined : path)];
}

/** The keyboard goes on in the page that was opened, as after a load of it: not at the link that led there. */
function useFocusOfPage(): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

export function Shell() {
  const [dialog, setDialog] = useState<'palette' | 'keys'>();
  const [isMenuOpen, toggleMenu] = useMenu();
  const [theme, nextTheme] = useTheme();
  useShellKeys(setDialog, nextTheme);
  useFocusOfPage();
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <button type="button" className="quiet menu" aria-expanded={isMenuOpen} onClick={toggleMenu}>
          <span aria-hidden="true">☰</span>
          <span className="hidden">Pages</span>
        </button>
        <Link to="/" className="brand">
          Millrace
        </Link>
        <div className="bar-end">
          <LiveMark />
          <button type="button" className="quiet find" onClick={() => setDialog('palette')}>
            Find <kbd>/</kbd>
          </button>
          <button type="button" className="quiet key-list" onClick={() => setDialog('keys')} title="Keys">
            <span aria-hidden="true">?</span>
            <span className="hidden">Keys</span>
          </button>
          <button type="button" className="quiet" onClick={nextTheme} title={`Theme: ${THEME_NAMES[theme]}`}>
            <span aria-hidden="true">◐</span>
            <span className="hidden">Theme: {THEME_NAMES[theme]}</span>
          </button>
          <AccountMark />
        </div>
      </header>
      <div className={`frame${isMenuOpen ? ' with-menu' : ''}`}>
        <Navigation />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
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
  lost: 'Connection lost; shown as of',
  ended: 'Logged out',
} as const;

function LiveMark() {
  const { state, since } = useLive();
  return (
    <span className={`connection ${state}`} role="status">
      <span aria-hidden="true" className="shape">
        {state === 'live' ? '●' : '○'}
      </span>
      <span className="connection-word">
        {LIVE_WORDS[state]}
        {state === 'lost' && (
          <>
            {' '}
            <Instant at={since} />
          </>
        )}
      </span>
    </span>
  );
}

function AccountMark() {
  const { username, mayWrite } = useAccount();
  const live = useLive();
  if (username === undefined) return <span className="soft account">No login required</span>;
  const logOut = async () => {
    await forgetLayouts();
    await client.post('/v6/logout/');
    live.logOut();
    forgetDraftsExceptOf(undefined);
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

function Navigation() {
  const { data } = useQuery(version);
  return (
    <nav className="pages" aria-label="Pages">
      {GROUPS.map(({ title, places }) => (
        <ul key={title ?? ''} aria-label={title}>
          {title !== undefined && (
            <li aria-hidden="true" className="group">
              {title}
            </li>
          )}
          {places.map((place) => (
            <li key={place.href}>
              <Link to={place.href} activeOptions={{ exact: place.href === '/', includeSearch: false }}>
                {place.title}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      <ul className="last" aria-label="More">
        <li>
          <a href="/docs/guide/">Guide</a>
        </li>
        <li>
          <a href="/docs/">Interface</a>
        </li>
        <li className="soft">Millrace {data?.version}</li>
      </ul>
    </nav>
  );
}
