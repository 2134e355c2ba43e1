/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* server PORT SIZE RATE: sends SIZE bytes to each client that connects, at a reserved rate of RATE
 * bytes per second.
 *
 *     cc -Iinclude -o server examples/tcp-qos/server.c
 */
#include <onramp/tcp_qos.h>

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in any = {.sin_family = AF_INET,
				  .sin_port = htons(argc == 4 ? atoi(argv[1]) : 0)};
	struct tcp_qos qos = {.rate_bytes_per_s = argc == 4 ? strtoull(argv[3], NULL, 10) : 0};
	size_t size = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	int server = socket(AF_INET, SOCK_STREAM, 0), one = 1, connection;

	if (argc != 4) {
		fprintf(stderr, "usage: %s PORT SIZE RATE\n", argv[0]);
		return 2;
	}
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(server, (struct sockaddr *)&any, sizeof(any)) || listen(server, 16)) {
		perror("cannot listen");
		return 1;
	}
	while ((connection = accept(server, NULL, NULL)) >= 0) {
		char piece[4096] = {0};
		ssize_t sent;

		if (setsockopt(connection, IPPROTO_TCP, TCP_QOS, &qos, sizeof(qos)))
			perror("cannot reserve"); /* the connection sends without a reservation */
		for (size_t left = size; left; left -= (size_t)sent) {
			sent = send(connection, piece, left < sizeof(piece) ? left : sizeof(piece),
				    MSG_NOSIGNAL);
			if (sent < 0)
				break;
		}
		close(connection);
	}
	perror("cannot accept");
	return 1;
}
