# Debian's libmail-dkim-perl: one job a line as JSON ({"message", "answer"}), true or false a line.
use strict;
use warnings;
use JSON::PP;
use Mail::DKIM::Verifier;
use Net::DNS;

$| = 1;
my $answer;
{
    no warnings 'redefine';
    *Mail::DKIM::DNS::query = sub {
        my ($domain, $type) = @_;
        return map { Net::DNS::RR->new(name => $domain, type => 'TXT', txtdata => $_) } @$answer;
    };
}
while (my $line = <STDIN>) {
    my $job = decode_json($line);
    $answer = $job->{answer};
    my $result = eval {
        my $verifier = Mail::DKIM::Verifier->new;
        $verifier->PRINT($job->{message});
        $verifier->CLOSE;
        $verifier->result;
    } // 'error';
    print $result eq 'pass' ? "true\n" : "false\n";
}
