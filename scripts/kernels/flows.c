// Flows over a queue, and what the kernel says of both, every two milliseconds. The guest of
// dctcp.py runs it.
//
//   flows receive PORT
//   flows send ADDRESS PORT FLOWS INTERFACE WARM-UP-MS MEASURED-MS
//
// The interface with the queue is one of the network namespace `router`.
//
// A sample is a line: time in us; backlog in packets, bytes sent, packets sent and marks of the RED
// queue; then cwnd and alpha (times 1024) of each flow. Samples are printed at the end, so that the
// serial line does not disturb the flows.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FLOWS = 8, TICK_US = 2000, BLOCK = 65536 };

struct flow {
	uint32_t cwnd;
	uint32_t alpha;
};

struct sample {
	uint64_t time_us;
	uint32_t backlog;
	uint64_t bytes;
	uint32_t packets;
	uint32_t marked;
	struct flow flows[MOST_FLOWS];
};

static char block[BLOCK];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int new_socket(int type)
{
	int fd = socket(AF_INET, type, 0);
	if (fd < 0)
		fail("socket");
	return fd;
}

// Reads and discards what all connections bring.
static void receive(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct pollfd polled[MOST_FLOWS + 1] = {{.fd = new_socket(SOCK_STREAM), .events = POLLIN}};
	nfds_t count = 1;
	int reuse = 1;
	setsockopt(polled[0].fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
	if (bind(polled[0].fd, (struct sockaddr *)&at, sizeof at) ||
	    listen(polled[0].fd, MOST_FLOWS))
		fail("listen");
	for (;;) {
		poll(polled, count, -1);
		for (nfds_t i = count; i-- > 1;) {
			if (polled[i].revents && read(polled[i].fd, block, BLOCK) <= 0) {
				close(polled[i].fd);
				polled[i] = polled[--count];
			}
		}
		if (polled[0].revents && count <= MOST_FLOWS) {
			int fd = accept(polled[0].fd, NULL, NULL);
			polled[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
		}
	}
}

static int connect_to(const char *address, uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = new_socket(SOCK_STREAM);
	inet_pton(AF_INET, address, &to.sin_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof to))
		fail("connect");
	return fd;
}

// A netlink socket of the router, and its interface of this name.
static int open_router(const char *name, int *interface)
{
	int own = open("/proc/self/ns/net", O_RDONLY);
	int router = open("/run/netns/router", O_RDONLY);
	if (own < 0 || router < 0 || setns(router, CLONE_NEWNET))
		fail("router");
	int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	*interface = (int)if_nametoindex(name);
	if (netlink < 0 || !*interface || setns(own, CLONE_NEWNET))
		fail(name);
	return netlink;
}

// Puts the numbers of the RED queue of this interface into a sample.
static void read_queue(int netlink, int interface, struct sample *sample)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg tc;
	} request = {
		.header = {.nlmsg_len = sizeof request,
			   .nlmsg_type = RTM_GETQDISC,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.tc = {.tcm_family = AF_UNSPEC, .tcm_ifindex = interface},
	};
	static char answer[32768];
	if (send(netlink, &request, sizeof request, 0) < 0)
		fail("netlink");
	for (;;) {
		ssize_t length = recv(netlink, answer, sizeof answer, 0);
		struct nlmsghdr *message = (struct nlmsghdr *)answer;
		if (length < 0)
			fail("netlink");
		for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
			struct tcmsg *tc = NLMSG_DATA(message);
			int rest = (int)TCA_PAYLOAD(message);
			struct rtattr *field = TCA_RTA(tc);
			struct tc_stats stats = {0};
			struct tc_red_xstats red = {0};
			int is_red = 0;
			if (message->nlmsg_type == NLMSG_DONE)
				return;
			if (message->nlmsg_type != RTM_NEWQDISC || tc->tcm_ifindex != interface)
				continue;
			for (; RTA_OK(field, rest); field = RTA_NEXT(field, rest)) {
				if (field->rta_type == TCA_KIND)
					is_red = !strcmp(RTA_DATA(field), "red");
				if (field->rta_type == TCA_STATS &&
				    RTA_PAYLOAD(field) >= sizeof stats - 4)
					memcpy(&stats, RTA_DATA(field), sizeof stats - 4);
				if (field->rta_type == TCA_XSTATS &&
				    RTA_PAYLOAD(field) >= sizeof red)
					memcpy(&red, RTA_DATA(field), sizeof red);
			}
			if (is_red) {
				sample->backlog = stats.qlen;
				sample->bytes = stats.bytes;
				sample->packets = stats.packets;
				sample->marked = red.marked;
			}
		}
	}
}

static struct flow read_flow(int fd)
{
	struct tcp_info info = {0};
	union tcp_cc_info control = {0};
	socklen_t info_size = sizeof info;
	socklen_t control_size = sizeof control;
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_size);
	getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, &control, &control_size);
	return (struct flow){.cwnd = info.tcpi_snd_cwnd, .alpha = control.dctcp.dctcp_alpha};
}

static void print(const struct sample *sample, int flows)
{
	printf("%llu %u %llu %u %u", (unsigned long long)sample->time_us, sample->backlog,
	       (unsigned long long)sample->bytes, sample->packets, sample->marked);
	for (int i = 0; i < flows; i++)
		printf(" %u %u", sample->flows[i].cwnd, sample->flows[i].alpha);
	printf("\n");
}

static void send_all(char **words)
{
	int flows = atoi(words[2]);
	int interface = 0;
	int netlink = open_router(words[3], &interface);
	uint64_t warm_up_us = strtoull(words[4], NULL, 10) * 1000;
	size_t most = strtoull(words[5], NULL, 10) * 1000 / TICK_US;
	struct sample *samples = calloc(most, sizeof *samples);
	struct pollfd polled[MOST_FLOWS];
	size_t count = 0;
	if (flows < 1 || flows > MOST_FLOWS || !samples) {
		fprintf(stderr, "flows: wrong arguments, or no memory\n");
		exit(1);
	}
	for (int i = 0; i < flows; i++)
		polled[i] = (struct pollfd){.fd = connect_to(words[0], (uint16_t)atoi(words[1])),
					    .events = POLLOUT};
	uint64_t next_us = now_us() + warm_up_us;
	while (count < most) {
		uint64_t now = now_us();
		if (now >= next_us) {
			struct sample *sample = &samples[count++];
			sample->time_us = now;
			read_queue(netlink, interface, sample);
			for (int i = 0; i < flows; i++)
				sample->flows[i] = read_flow(polled[i].fd);
			next_us = now + TICK_US;
			continue;
		}
		struct timespec wait = {.tv_sec = (time_t)((next_us - now) / 1000000),
					.tv_nsec = (long)((next_us - now) % 1000000) * 1000};
		ppoll(polled, (nfds_t)flows, &wait, NULL);
		for (int i = 0; i < flows; i++)
			if (polled[i].revents &&
			    send(polled[i].fd, block, BLOCK, MSG_DONTWAIT) < 0 && errno != EAGAIN)
				fail("send");
	}
	for (size_t i = 0; i < most; i++)
		print(&samples[i], flows);
}

int main(int count, char **words)
{
	if (count == 3 && !strcmp(words[1], "receive"))
		receive((uint16_t)atoi(words[2]));
	if (count != 8 || strcmp(words[1], "send"))
		return 2;
	send_all(words + 2);
	return 0;
}
