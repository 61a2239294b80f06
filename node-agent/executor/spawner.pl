# The program of the spawner where the host has Perl (see spawner.ts): forks supervisors for the agent that started it
# and says when they end. It never outlives that agent; what it forked does.
#
# A supervisor is a fork that starts one task's command and writes its exit code to the task's folder, as the shell of
# shell-supervisor.ts does. Between the two forks nothing is executed: that, and to be small, is what this file is for.
# Perl alone, without modules, because each page that a fork touches is copied. What Perl has no word for is a system
# call by its number.
#
# Argument: the processor's architecture. Orders come on standard input, each a length (32 bits) and as many bytes:
# strings, each behind its own length; spawn-order.ts says which. Answers are lines.
use strict;

my ($architecture) = @ARGV;
my %numbers = (
    x64 => {
        prctl => 157, capset => 126, setsid => 112, setgroups => 116, setresgid => 119, setresuid => 117,
        signalfd => 289, sigprocmask => 14, prlimit => 302, exit => 231,
    },
    arm64 => {
        prctl => 167, capset => 91, setsid => 157, setgroups => 159, setresgid => 149, setresuid => 147,
        signalfd => 74, sigprocmask => 135, prlimit => 261, exit => 94,
    },
);
my $number = $numbers{$architecture // ''} or die "no system call is known of this processor\n";

my $WAIT_NO_LONGER = 1;
my ($HUP, $INT, $TERM, $CHLD) = (1, 2, 15, 17);
my $SET_MASK = 2;
my $CLOSED_BY_EXEC_WITHOUT_WAITING = 02004000;
my ($WRITE_NEW, $WRITE) = (0301, 01101);
my $LIMIT_CORE = 4;
my ($DROP_BOUND, $NO_NEW_PRIVILEGES, $CAPABILITIES_MAX) = (24, 38, 64);
my $CAPABILITY_VERSION = 0x20080522;
my $TASK_TAKEN = 111;
my $NOT_BEGUN = 125;
my ($E_NOENT, $E_TOO_BIG, $E_AGAIN, $E_NO_MEMORY, $E_INVALID) = (2, 7, 11, 12, 22);

# What the kernel reads, in variables: constants are refused by `syscall`.
my ($no_signals, $no_bytes, $no_rights) = (pack('Q', 0), pack('QQ', 0, 0), pack('L6', (0) x 6));
my $this_process = pack('L2', $CAPABILITY_VERSION, 0);

# Signals of a terminal are meant for the agent, which may take a while to end its work.
my $held = 0;
$held |= 1 << ($_ - 1) for $HUP, $INT, $TERM, $CHLD;
my ($held_signals, $end_signal) = (pack('Q', $held), pack('Q', 1 << ($CHLD - 1)));
syscall($number->{sigprocmask}, $SET_MASK, $held_signals, 0, 8) == 0 or die "sigprocmask: $!\n";
# By a descriptor, so that no end is missed between a look and the wait.
my $ends_number = syscall($number->{signalfd}, -1, $end_signal, 8, $CLOSED_BY_EXEC_WITHOUT_WAITING);
$ends_number >= 0 or die "signalfd: $!\n";
open my $ends, '<&=', $ends_number or die "signalfd: $!\n";

my $agent = getppid;
my %order_of;
my $received = '';

sub answer { syswrite STDOUT, "$_[0]\n" }

sub supervisors_ended {
    sysread $ends, my $told, 128 * 16;
    while ((my $pid = waitpid -1, $WAIT_NO_LONGER) > 0) {
        my $id = delete $order_of{$pid};
        answer("exited $id " . ($? & 127 ? 'signal' : $? >> 8));
    }
}

sub carry_out {
    my ($id, $folder, $note, $groups, $user, $words, @rest) = unpack '(N/a*)*', $_[0];
    # An order of an agent that has been killed is its successor's to give again.
    exit 0 if getppid != $agent;
    my $pid = fork;
    if (!defined $pid) {
        answer("failed $id EAGAIN");
    } elsif ($pid == 0) {
        my @command = splice @rest, 0, $words;
        supervise($folder, $note, $groups, $user, \@command, \@rest);
    } else {
        $order_of{$pid} = $id;
        answer("started $id $pid");
    }
}

# At once: what Perl does at its end is for the spawner alone.
sub leave { syscall($number->{exit}, $_[0]) }

sub supervise {
    my ($folder, $note, $groups, $user, $command, $environment) = @_;
    syscall($number->{setsid});
    syscall($number->{sigprocmask}, $SET_MASK, $no_signals, 0, 8);
    $0 = "millrace-task $folder";
    close $ends;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    umask 077;
    # Of two supervisors for one task, the one that makes this file runs it.
    chdir $folder or leave($TASK_TAKEN);
    open my $stat, '<', '/proc/self/stat' or leave($TASK_TAKEN);
    sysread $stat, my $self, 1024;
    close $stat;
    sysopen my $begun, 'supervisor', $WRITE_NEW or leave($TASK_TAKEN);
    syswrite $begun, "$self$note\n" or leave($TASK_TAKEN);
    close $begun;
    # Open until the command begins, so that what is said there is why it did not.
    pipe my $heard, my $said or leave($TASK_TAKEN);
    my $pid = fork;
    if (defined $pid && $pid == 0) {
        start($groups, $user, $command, $environment, sub {
            syswrite $said, $_[0];
            leave($NOT_BEGUN);
        });
    }
    syswrite $said, "cannot be started: $!" if !defined $pid;
    close $said;
    waitpid $pid, 0 if defined $pid;
    my $code = !defined $pid ? $NOT_BEGUN : $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my $why = '';
    note('fault', $why) if $code == $NOT_BEGUN && sysread $heard, $why, 1024;
    note('exit', $code);
    leave(0);
}

sub note {
    my ($name, $text) = @_;
    sysopen my $file, $name, $WRITE or return;
    syswrite $file, "$text\n";
    close $file;
}

sub start {
    my ($groups, $user, $command, $environment, $refuse) = @_;
    for my $group (split / /, $groups) {
        open my $processes, '>', "$group/cgroup.procs" or $refuse->('cannot enter its control group');
        syswrite $processes, '0' or $refuse->('cannot enter its control group');
        close $processes;
    }
    open STDOUT, '>>', 'stdout' or $refuse->("cannot write its output: $!");
    open STDERR, '>>', 'stderr' or $refuse->("cannot write its output: $!");
    chdir 'work' or $refuse->('cannot enter its working directory');
    syscall($number->{prlimit}, 0, $LIMIT_CORE, $no_bytes, 0);
    umask 022;
    become($user + 0, $refuse) if $user ne '';
    %ENV = @$environment;
    exec { $command->[0] } @$command;
    my ($code, $why) = ($! + 0, "$!");
    $refuse->("cannot be started: $why") if grep { $code == $_ } $E_TOO_BIG, $E_AGAIN, $E_NO_MEMORY;
    syswrite STDERR, "$command->[0]: $why\n";
    leave($code == $E_NOENT ? 127 : 126); # as a shell says it
}

# Another user, without any right and without a way to get one.
sub become {
    my ($user, $refuse) = @_;
    my $try = sub {
        my ($name, @arguments) = @_;
        syscall($number->{$name}, @arguments) == 0 or $refuse->("cannot be made unprivileged: $name: $!");
    };
    $try->('setgroups', 0, 0);
    $try->('setresgid', $user, $user, $user);
    for my $capability (0 .. $CAPABILITIES_MAX) {
        next if syscall($number->{prctl}, $DROP_BOUND, $capability, 0, 0, 0) == 0;
        last if $capability > 0 && $! == $E_INVALID; # there is none of that number
        $refuse->("cannot be made unprivileged: $!");
    }
    $try->('setresuid', $user, $user, $user);
    $try->('capset', $this_process, $no_rights);
    $try->('prctl', $NO_NEW_PRIVILEGES, 1, 0, 0, 0);
    $refuse->('cannot be made unprivileged') if $< != $user || $> != $user || $( =~ /\b(?!$user\b)\d/;
}

answer('ready');
while (1) {
    my $readable = '';
    vec($readable, 0, 1) = 1;
    vec($readable, $ends_number, 1) = 1;
    next if select($readable, undef, undef, undef) < 0;
    supervisors_ended() if vec($readable, $ends_number, 1);
    next if !vec($readable, 0, 1);
    sysread STDIN, $received, 65536, length $received or exit 0;
    while (length $received >= 4) {
        my $length = unpack 'N', $received;
        last if length $received < 4 + $length;
        my $order = substr $received, 4, $length;
        substr($received, 0, 4 + $length) = '';
        carry_out($order);
    }
}
