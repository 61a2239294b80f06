# The spawner for hosts with Perl (see spawner.ts). It forks supervisors for the agent that started it, passes orders to
# them, and reports their ends. It ends with that agent; a supervisor continues until its task has ended.
#
# A supervisor runs one task after another, all with the same user and control groups. It keeps one forked child ready,
# which has entered the groups in advance: the kernel waits for all processors to move a process into a group, 11 ms if
# this is rare and 0.3 ms if it is frequent (Linux 6.18, two cores). The child reads the order itself, becomes the
# task's user and executes the command. So a task costs one fork and one exec, and its secrets never enter the
# supervisor, which waits for the end of the task, reports it, and forks the next child. (The supervisor itself stays
# out of the groups: if a task used up the memory of its group, the supervisor would be blocked there for ever.)
#
# The end of a task is written to disk only once the pipe of orders is closed: then the agent is gone, and may not have
# recorded the end that it was told.
#
# A supervisor whose order lists mounts creates its own namespaces before its first task: one for mounts, and one for
# System V objects and POSIX message queues. Its tasks share temporary folders and such objects with nobody else.
#
# The program uses no Perl modules, because each memory page that a fork touches is copied. Functions that Perl lacks,
# or implements with many calls, are system calls by number.
#
# Arguments: the architecture of the processor; and `probe` to only test whether supervisors may create namespaces, with
# the answer `yes`, or `no` and a reason. Orders arrive on standard input: a length (32 bits), then as many bytes with
# strings, each after its own length (their meanings are in spawn-order.ts). Answers are lines.
use strict;

my ($architecture, $probe) = @ARGV;
my %numbers = (
    x64 => {
        prctl => 157, capset => 126, setsid => 112, setgroups => 116, setresgid => 119, setresuid => 117, close => 3,
        signalfd => 289, sigprocmask => 14, prlimit => 302, exit => 231, openat => 257, execve => 59, write => 1,
        time => 228, unshare => 272, mount => 165, umount2 => 166, wait4 => 61,
        renameat2 => 316,
    },
    arm64 => {
        prctl => 167, capset => 91, setsid => 157, setgroups => 159, setresgid => 149, setresuid => 147, close => 57,
        signalfd => 74, sigprocmask => 135, prlimit => 261, exit => 94, openat => 56, execve => 221, write => 64,
        time => 113, unshare => 97, mount => 40, umount2 => 39, wait4 => 260,
        renameat2 => 276,
    },
);
my $number = $numbers{$architecture // ''} or die "no system call is known of this processor\n";

my $WAIT_NO_LONGER = 1;
my ($HUP, $INT, $PIPE, $TERM, $CHLD) = (1, 2, 13, 15, 17);
my $SET_MASK = 2;
my $CLOSED_BY_EXEC_WITHOUT_WAITING = 02004000;
my ($SET_FLAGS, $WITHOUT_WAITING) = (4, 04000);
my ($HERE, $WRITE_NEW, $WRITE, $APPEND, $CLOSED_BY_EXEC) = (-100, 0301, 01101, 02101, 02000000);
my $LIMIT_CORE = 4;
my ($DROP_BOUND, $NO_NEW_PRIVILEGES, $CAPABILITIES_MAX) = (24, 38, 64);
my $CAPABILITY_VERSION = 0x20080522;
my $NOT_BEGUN = 125;
my ($E_NOENT, $E_INTERRUPTED, $E_TOO_BIG, $E_AGAIN, $E_NO_MEMORY, $E_EXISTS, $E_INVALID) = (2, 4, 7, 11, 12, 17, 22);
my ($NEW_MOUNTS, $NEW_IPC) = (0x20000, 0x8000000);
my ($NO_RIGHTS_BY_FILES, $BIND, $RECURSIVE, $SLAVE, $DETACHED) = (2 | 4, 1 << 12, 1 << 14, 1 << 19, 2);
my ($CREATE, $FROM_START) = (0101, 0);
my $UNLESS_THERE = 1;
# Without following a link: the value is another on arm64.
my $WRITE_OWN = 1 | ($architecture eq 'arm64' ? 0100000 : 0400000);

# Memory that the kernel reads. It is in variables, because `syscall` refuses constants.
my ($no_signals, $no_bytes, $no_rights) = (pack('Q', 0), pack('QQ', 0, 0), pack('L6', (0) x 6));
my $this_process = pack('L2', $CAPABILITY_VERSION, 0);
my ($no_text, $root, $memory, $queues_type) = ('', '/', 'tmpfs', 'mqueue');
# In a supervisor: the folder of its message queues, and the open lists of its System V objects.
my ($queues, @ipc_lists) = ('');

# Closes descriptors that the agent has inherited, so that no task gets them.
opendir my $open_files, '/proc/self/fd' or die "/proc: $!\n";
my @inherited = grep { $_ =~ /^\d+$/ && $_ > 2 } readdir $open_files;
closedir $open_files;
syscall($number->{close}, $_ + 0) for @inherited;

if (defined $probe) {
    my $obstacle = leave_namespaces(pack '(Z*)3', 'tmpfs', 'size=1m', '/tmp');
    syswrite STDOUT, $obstacle eq '' ? "yes\n" : "no $obstacle\n";
    exit 0;
}

sub signals { my $set = 0; $set |= 1 << ($_ - 1) for @_; return pack 'Q', $set }

# Signals of a terminal are blocked: they are meant for the agent, which may take a while to stop. SIGPIPE is blocked
# too: the closed pipe of an agent that is gone must not end this process.
my $held_signals = signals($HUP, $INT, $PIPE, $TERM, $CHLD);
my ($end_signal, $pipe_signal) = (signals($CHLD), signals($PIPE));
syscall($number->{sigprocmask}, $SET_MASK, $held_signals, 0, 8) == 0 or die "sigprocmask: $!\n";
$SIG{FPE} = 'DEFAULT'; # Perl ignores it, and tasks would
# Ends of children are read from a descriptor, so that none is missed between a check and the wait.
my $ends_number = syscall($number->{signalfd}, -1, $end_signal, 8, $CLOSED_BY_EXEC_WITHOUT_WAITING);
$ends_number >= 0 or die "signalfd: $!\n";
open my $ends, '<&=', $ends_number or die "signalfd: $!\n";

my $agent = getppid;
my (%orders_to, %supervisor_of, %pid_of, %dismissed);
my $newest = 0;
my $received = '';

sub answer { syswrite STDOUT, "$_[0]\n" }

sub supervisors_ended {
    sysread $ends, my $told, 128 * 16;
    while ((my $pid = waitpid -1, $WAIT_NO_LONGER) > 0) {
        my $supervisor = delete $supervisor_of{$pid};
        delete $orders_to{$supervisor};
        delete $pid_of{$supervisor};
        delete $dismissed{$pid};
        answer("gone $supervisor");
    }
}

sub hand_on {
    my ($supervisor, $groups, $user, $mounts, $id) = unpack 'x4 (N/a*)5', $_[0];
    # An order of a killed agent is not carried out: the next agent gives it again.
    exit 0 if getppid != $agent;
    if ($supervisor > $newest) {
        $newest = $supervisor;
        my $opened = open_supervisor($supervisor, $groups, $user, $mounts) or return answer("gone $supervisor");
        $orders_to{$supervisor} = $opened;
    }
    my $orders = $orders_to{$supervisor} or return; # it was said that it is gone
    for (my $written = 0; $written < length $_[0];) {
        $written += syswrite($orders, $_[0], length($_[0]) - $written, $written) // last;
    }
    return if $id ne '';
    delete $orders_to{$supervisor};
    $dismissed{$pid_of{$supervisor}} = 1;
}

sub open_supervisor {
    my ($supervisor, $groups, $user, $mounts) = @_;
    pipe my $orders, my $orders_to or return;
    my $pid = fork;
    supervise($orders, $orders_to, $groups, $user, $mounts) if defined $pid && $pid == 0;
    return if !defined $pid;
    ($supervisor_of{$pid}, $pid_of{$supervisor}) = ($supervisor, $pid);
    return $orders_to;
}

# Exits at once, without Perl's cleanup, which only the spawner may do.
sub leave { syscall($number->{exit}, $_[0]) }

sub supervise {
    my ($orders, $orders_to, $groups, $user, $mounts) = @_;
    syscall($number->{setsid});
    syscall($number->{sigprocmask}, $SET_MASK, $pipe_signal, 0, 8);
    $0 = 'millrace-task';
    close $_ for $ends, $orders_to, values %orders_to;
    open STDIN, '<', '/dev/null';
    open STDERR, '>', '/dev/null';
    umask 022;
    syscall($number->{prlimit}, 0, $LIMIT_CORE, $no_bytes, 0);
    my $obstacle = $mounts eq '' ? '' : leave_namespaces($mounts);
    $obstacle ||= give_up_rights($user + 0) if $user ne '';
    open my $stat, '<', '/proc/self/stat' or leave(1);
    sysread $stat, my $self, 1024;
    close $stat;
    pipe my $heard, my $said or leave(1);
    fcntl $heard, $SET_FLAGS, $WITHOUT_WAITING;
    my ($id, $folder, $fault, $code, $ended_ms, $used);
    while (1) {
        renew_ipc() if is_ipc_used();
        my $pid = fork;
        if (defined $pid && $pid == 0) {
            stand_by({ orders => $orders, said => $said, self => $self, groups => $groups }, $obstacle);
        }
        answer("ended $id $code $ended_ms " . ($pid // 0) . " $used $fault") if defined $id;
        last if !defined $pid;
        my ($status, $used_now) = ended($pid);
        my $now_ms = milliseconds();
        sysread $heard, my $told, 65536 or last;
        ($code, $ended_ms) = ($status & 127 ? 128 + ($status & 127) : $status >> 8, $now_ms);
        ($id, $folder, $fault) = unpack 'N/a* N/a* a*', $told;
        $used = $used_now;
        leave(0) if $id eq ''; # dismissed
    }
    # The agent is gone, and may not have recorded the last end that it was told.
    note("$folder/fault", $fault) if defined $id && $fault ne '';
    note("$folder/exit", "$code $used") if defined $id;
    leave(0);
}

# Waits for the end of a process. Returns what it and the children that it waited for have used: microseconds of
# processor time, the largest memory of one process in KiB, and the 512-byte blocks that were read and written.
sub ended {
    my ($pid) = @_;
    my ($status, $usage) = (pack('l', 0), "\0" x 144);
    1 while syscall($number->{wait4}, $pid, $status, 0, $usage) < 0 && $! == $E_INTERRUPTED;
    my @figures = unpack 'q16', $usage;
    my $processor_us = ($figures[0] + $figures[2]) * 1_000_000 + $figures[1] + $figures[3];
    return (unpack('l', $status), "$processor_us @figures[4, 11, 12]");
}

sub milliseconds {
    my $now = $no_bytes;
    syscall($number->{time}, 0, $now);
    my ($seconds, $nanoseconds) = unpack 'qq', $now;
    return $seconds * 1000 + int($nanoseconds / 1_000_000);
}

sub note {
    my ($path, $text) = @_;
    sysopen my $file, $path, $WRITE, 0600 or return;
    syswrite $file, "$text\n";
    close $file;
}

# Creates namespaces with these mounts: strings that end with NUL, three for each mount (MountStep in spawn-order.ts).
# Later mounts of the host still appear and disappear here; those made here are not visible outside. Returns the reason
# of a failure.
sub leave_namespaces {
    my @mounts = unpack '(Z*)*', $_[0];
    my $cannot = 'cannot have temporary folders of its own';
    return "$cannot: unshare: $!" if syscall($number->{unshare}, $NEW_MOUNTS | $NEW_IPC) != 0;
    mounted($no_text, $root, $no_text, $SLAVE | $RECURSIVE, 0) or return "$cannot: $!";
    while (my ($kind, $source, $target) = splice @mounts, 0, 3) {
        $queues = $target if $kind eq 'mqueue';
        my $done = $kind eq 'mqueue' ? 1
            : $kind eq 'folder' ? mkdir($target, 0755) || $! == $E_EXISTS
            : $kind eq 'file' ? sysopen(my $file, $target, $CREATE, 0644)
            : $kind eq 'tmpfs' ? mounted($memory, $target, $memory, $NO_RIGHTS_BY_FILES, $source)
            : mounted($source, $target, $no_text, $BIND | $RECURSIVE, 0);
        $done or return "$cannot: $kind $target: $!";
    }
    watch_ipc();
    return '';
}

sub mounted {
    my ($source, $target, $type, $flags, $options) = @_;
    return syscall($number->{mount}, $source, $target, $type, $flags, $options) == 0;
}

# Opens the lists of objects in the present namespace. A kernel may lack one kind of objects, or both.
sub watch_ipc {
    @ipc_lists = ();
    for my $name ('msg', 'sem', 'shm') {
        open my $list, '<', "/proc/sysvipc/$name" or next;
        push @ipc_lists, $list;
    }
    mounted($queues_type, $queues, $queues_type, $NO_RIGHTS_BY_FILES, 0) or $queues = '' if $queues ne '';
}

# Whether the namespace has objects.
sub is_ipc_used {
    for my $list (@ipc_lists) {
        sysseek $list, 0, $FROM_START;
        sysread $list, my $lines, 4096;
        return 1 if ($lines =~ tr/\n//) > 1; # the first one has titles
    }
    return 0 if $queues eq '' || !opendir my $found, $queues;
    return grep { !/^\./ } readdir $found;
}

# Changes to a new namespace. The objects of the former one disappear with its last process.
sub renew_ipc {
    syscall($number->{unshare}, $NEW_IPC);
    syscall($number->{umount2}, $queues, $DETACHED) if $queues ne '';
    watch_ipc();
}

# Gives up the rights that neither the task nor the child that waits for it may have.
sub give_up_rights {
    my ($user) = @_;
    my $cannot = 'cannot be made unprivileged';
    return "$cannot: setgroups: $!" if syscall($number->{setgroups}, 0, 0) != 0;
    return "$cannot: setresgid: $!" if syscall($number->{setresgid}, $user, $user, $user) != 0;
    for my $capability (0 .. $CAPABILITIES_MAX) {
        next if syscall($number->{prctl}, $DROP_BOUND, $capability, 0, 0, 0) == 0;
        last if $capability > 0 && $! == $E_INVALID; # there is none of that number
        return "$cannot: $!";
    }
    return "$cannot: prctl: $!" if syscall($number->{prctl}, $NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0;
    return $( =~ /\b(?!$user\b)\d/ ? $cannot : '';
}

# The child that is kept ready: waits for an order, and becomes its task.
sub stand_by {
    my ($place, $obstacle) = @_;
    for my $group (split / /, $place->{groups}) {
        my $file = syscall($number->{openat}, $HERE, "$group/cgroup.procs", 1 | $CLOSED_BY_EXEC, 0);
        my $itself = '0';
        $obstacle ||= 'cannot enter its control group' if syscall($number->{write}, $file, $itself, 1) != 1;
        syscall($number->{close}, $file);
    }
    my $order = '';
    do { sysread $place->{orders}, $order, 1 << 20, length $order or leave(0) }
        while length $order < 4 || length $order < 4 + unpack 'N', $order;
    my ($supervisor, $groups, $user, $mounts, $id, $folder, $note, $words, @rest) = unpack 'x4 (N/a*)*', $order;
    if ($id eq '') {
        syswrite $place->{said}, pack 'N/a* N/a*', '', '';
        leave(0);
    }
    if (!is_claimed($folder, "$place->{self}$note\n")) {
        answer("taken $id");
        leave(0);
    }
    syswrite $place->{said}, pack 'N/a* N/a*', $id, $folder;
    answer("started $id " . getppid . ' ' . milliseconds());
    my @command = splice @rest, 0, $words;
    my $refuse = sub {
        syswrite $place->{said}, $_[0];
        leave($NOT_BEGUN);
    };
    # A background process of an earlier task may have created objects after that task's end: this task must not see
    # them.
    $obstacle ||= "unshare: $!" if is_ipc_used() && syscall($number->{unshare}, $NEW_IPC) != 0;
    $refuse->($obstacle) if $obstacle ne '';
    for my $stream ([1, 'stdout'], [2, 'stderr']) {
        my ($target, $name) = @$stream;
        syscall($number->{close}, $target);
        my $opened = syscall($number->{openat}, $HERE, "$folder/$name", $APPEND, 0600);
        $refuse->("cannot write its output: $!") if $opened != $target;
    }
    chdir "$folder/work" or $refuse->('cannot enter its working directory');
    become($user + 0, $refuse) if $user ne '';
    # If the agent was killed before the answer, a SIGPIPE is pending. Ignoring the signal discards it, so that the
    # command does not get it.
    $SIG{PIPE} = 'IGNORE';
    $SIG{PIPE} = 'DEFAULT';
    syscall($number->{sigprocmask}, $SET_MASK, $no_signals, 0, 8);
    run(\@command, \@rest, $refuse);
}

# If two children get the same task, the one that makes the file `supervisor` runs it. A folder that was used before has
# the file of the earlier task, called `spare`. A child gives that a name of its own, so that no other has it. It
# overwrites the file, and only then names it `supervisor`.
sub is_claimed {
    my ($folder, $lines) = @_;
    my ($path, $spare, $own) = ("$folder/supervisor", "$folder/spare", "$folder/claim-$$");
    my $is_spare = rename $spare, $own;
    my $made = $is_spare ? $own : $path;
    my $file = syscall($number->{openat}, $HERE, $made, $CLOSED_BY_EXEC | ($is_spare ? $WRITE_OWN : $WRITE_NEW), 0600);
    my $more = ($is_spare ? -s $own : 0) - length $lines;
    $lines .= "\n" x $more if $more > 0;
    my $is_written = syscall($number->{write}, $file, $lines, length $lines) == length $lines;
    syscall($number->{close}, $file);
    return $is_written if !$is_written || !$is_spare;
    return 1 if syscall($number->{renameat2}, $HERE, $own, $HERE, $path, $UNLESS_THERE) == 0;
    return $! != $E_EXISTS && link($own, $path) && unlink $own; # some file systems know no such flag
}

sub become {
    my ($user, $refuse) = @_;
    syscall($number->{setresuid}, $user, $user, $user) == 0 or $refuse->("cannot be made unprivileged: setresuid: $!");
    syscall($number->{capset}, $this_process, $no_rights) == 0 or $refuse->("cannot be made unprivileged: capset: $!");
    $refuse->('cannot be made unprivileged') if $< != $user || $> != $user;
}

sub run {
    my ($command, $environment, $refuse) = @_;
    my ($words, $variables) = (pack('p*', @$command, undef), pack('p*', @$environment, undef));
    syscall($number->{execve}, $command->[0], $words, $variables) if $command->[0] =~ m{/};
    # As in a shell, the command is searched for, and a file that is not a program is run as a script.
    %ENV = map { split /=/, $_, 2 } @$environment;
    exec { $command->[0] } @$command;
    my ($code, $why) = ($! + 0, "$!");
    $refuse->("cannot be started: $why") if grep { $code == $_ } $E_TOO_BIG, $E_AGAIN, $E_NO_MEMORY;
    syswrite STDERR, "$command->[0]: $why\n";
    leave($code == $E_NOENT ? 127 : 126); # as a shell says it
}

answer('ready');
while (1) {
    my $readable = '';
    vec($readable, 0, 1) = 1;
    vec($readable, $ends_number, 1) = 1;
    next if select($readable, undef, undef, undef) < 0;
    supervisors_ended() if vec($readable, $ends_number, 1);
    next if !vec($readable, 0, 1);
    sysread STDIN, $received, 65536, length $received or last;
    while (length $received >= 4) {
        my $length = unpack 'N', $received;
        last if length $received < 4 + $length;
        hand_on(substr $received, 0, 4 + $length, '');
    }
}
# Waits until nobody is left in the control groups.
waitpid $_, 0 for keys %dismissed;
