// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * Bulk TCP transfers through one bottleneck in ns-3, for comparison with the speed of Onramp's
 * simulator.
 *
 *   sender 0 --+                                  +-- receiver 0
 *     ...      +-- left router == right router ---+     ...
 *   sender n --+                                  +-- receiver n
 *
 * The default is the network "wan", after Fig. 1 of Aron & Druschel 1998. The result is one line of
 * JSON on standard output.
 */
#include <ns3/boolean.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/command-line.h>
#include <ns3/config.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4.h>
#include <ns3/ipv4-route.h>
#include <ns3/ipv4-routing-protocol.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/node-container.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/queue-size.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t ip_packet = 1500;
constexpr uint32_t ip_and_tcp_headers = 40;
constexpr uint32_t timestamps_option = 12;
constexpr uint32_t receive_buffer = 524288;
constexpr uint16_t port = 9;
// Senders' links have addresses in 10.0.0.0/9 and receivers' links in 10.128.0.0/9. Each range has
// room for 2^21 subnets of four addresses.
constexpr uint32_t max_flows = 1U << 21;

struct options {
	uint32_t flows = 8;
	double seconds = 30;
	bool sack = false;
	bool timestamps = true;
	uint32_t sndbuf = receive_buffer;
	std::string rate = "155Mbps";
	uint32_t queue = 200;
};

/*
 * The routing of a router: a table from host to link, and a default link for all other hosts.
 * ns-3's static routing searches all routes for every packet. With a thousand links on a router,
 * the benchmark would measure that search.
 */
class host_routes : public Ipv4RoutingProtocol
{
      public:
	void add(Ipv4Address host, Ptr<NetDevice> device)
	{
		table[host.Get()] = route_through(device, host);
	}

	void set_default(Ptr<NetDevice> device, Ipv4Address gateway)
	{
		default_route = route_through(device, gateway);
	}

	bool RouteInput(Ptr<const Packet> packet, const Ipv4Header &header, Ptr<const NetDevice>,
			UnicastForwardCallback forward, MulticastForwardCallback,
			LocalDeliverCallback, ErrorCallback) override
	{
		auto found = table.find(header.GetDestination().Get());
		forward(found == table.end() ? default_route : found->second, packet, header);
		return true;
	}

	// A router sends no packets of its own.
	Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header &, Ptr<NetDevice>,
				   Socket::SocketErrno &error) override
	{
		error = Socket::ERROR_NOROUTETOHOST;
		return nullptr;
	}

	void NotifyInterfaceUp(uint32_t) override
	{
	}
	void NotifyInterfaceDown(uint32_t) override
	{
	}
	void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override
	{
	}
	void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override
	{
	}
	void SetIpv4(Ptr<Ipv4>) override
	{
	}
	void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override
	{
	}

      private:
	static Ptr<Ipv4Route> route_through(Ptr<NetDevice> device, Ipv4Address gateway)
	{
		auto route = Create<Ipv4Route>();
		route->SetGateway(gateway);
		route->SetOutputDevice(device);
		return route;
	}

	std::unordered_map<uint32_t, Ptr<Ipv4Route>> table;
	Ptr<Ipv4Route> default_route;
};

struct stopwatch {
	std::chrono::steady_clock::time_point wall_start = std::chrono::steady_clock::now();
	double cpu_start = user_cpu();

	double wall() const
	{
		return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start)
			.count();
	}

	double cpu() const
	{
		return user_cpu() - cpu_start;
	}

	static rusage usage()
	{
		rusage now{};
		getrusage(RUSAGE_SELF, &now);
		return now;
	}

	// User CPU time since the start of the process, in seconds.
	static double user_cpu()
	{
		timeval user = usage().ru_utime;
		return double(user.tv_sec) + double(user.tv_usec) * 1e-6;
	}
};

void set_tcp_defaults(const options &chosen, uint32_t segment)
{
	Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
	Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
			   TypeIdValue(TcpClassicRecovery::GetTypeId()));
	Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(chosen.sack));
	Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(chosen.timestamps));
	Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
	Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
	Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(receive_buffer));
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(chosen.sndbuf));
}

PointToPointHelper link(const std::string &rate, Time one_way, uint32_t queue)
{
	PointToPointHelper helper;
	helper.SetDeviceAttribute("DataRate", StringValue(rate));
	helper.SetChannelAttribute("Delay", TimeValue(one_way));
	helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize",
			QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queue)));
	// Without flow control there is no queue discipline above the device, so the device's queue
	// is the only one.
	helper.DisableFlowControl();
	return helper;
}

uint32_t give_address(Ptr<NetDevice> device, Ipv4Address address)
{
	auto ipv4 = device->GetNode()->GetObject<Ipv4>();
	uint32_t interface = ipv4->AddInterface(device);
	ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("255.255.255.252")));
	ipv4->SetUp(interface);
	return interface;
}

Ptr<PointToPointNetDevice> point_to_point(Ptr<NetDevice> device)
{
	return DynamicCast<PointToPointNetDevice>(device);
}

// Packets that left a device's queue and were transmitted.
uint32_t carried(Ptr<NetDevice> device)
{
	auto queue = point_to_point(device)->GetQueue();
	return queue->GetTotalReceivedPackets() - queue->GetNPackets();
}

uint32_t dropped(Ptr<NetDevice> device)
{
	return point_to_point(device)->GetQueue()->GetTotalDroppedPackets();
}

class dumbbell
{
      public:
	dumbbell(const options &chosen, uint32_t segment);

	std::vector<Ptr<PacketSink>> sinks;
	// The two ends of the bottleneck. Data leaves through the left end, ACKs through the right.
	Ptr<NetDevice> left_end, right_end;
	// Both ends of each access link.
	NetDeviceContainer access;

      private:
	void attach(Ptr<Node> host, Ptr<Node> router, Ptr<host_routes> routes, Ipv4Address subnet,
		    PointToPointHelper &wire);
};

// Connects a host with its router. The host has the first address of the subnet.
void dumbbell::attach(Ptr<Node> host, Ptr<Node> router, Ptr<host_routes> routes, Ipv4Address subnet,
		      PointToPointHelper &wire)
{
	Ipv4Address host_address(subnet.Get() + 1), router_address(subnet.Get() + 2);
	NetDeviceContainer ends = wire.Install(host, router);
	uint32_t interface = give_address(ends.Get(0), host_address);
	give_address(ends.Get(1), router_address);
	Ipv4StaticRoutingHelper()
		.GetStaticRouting(host->GetObject<Ipv4>())
		->SetDefaultRoute(router_address, interface);
	routes->add(host_address, ends.Get(1));
	access.Add(ends);
}

dumbbell::dumbbell(const options &chosen, uint32_t segment)
{
	NodeContainer routers(2), senders(chosen.flows), receivers(chosen.flows);
	InternetStackHelper stack;
	stack.SetIpv6StackInstall(false);
	stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
	stack.Install(routers);
	stack.Install(senders);
	stack.Install(receivers);

	// The round-trip propagation delay is 60 ms: 2 x (0.5 + 29 + 0.5).
	PointToPointHelper bottleneck = link(chosen.rate, MilliSeconds(29), chosen.queue);
	PointToPointHelper wire = link("100Mbps", MicroSeconds(500), 200);

	NetDeviceContainer ends = bottleneck.Install(routers);
	left_end = ends.Get(0);
	right_end = ends.Get(1);
	Ipv4Address left_address("192.168.0.1"), right_address("192.168.0.2");
	give_address(left_end, left_address);
	give_address(right_end, right_address);
	auto left_routes = CreateObject<host_routes>(), right_routes = CreateObject<host_routes>();
	left_routes->set_default(left_end, right_address);
	right_routes->set_default(right_end, left_address);
	routers.Get(0)->GetObject<Ipv4>()->SetRoutingProtocol(left_routes);
	routers.Get(1)->GetObject<Ipv4>()->SetRoutingProtocol(right_routes);

	for (uint32_t i = 0; i < chosen.flows; i++) {
		Ipv4Address sender_subnet(Ipv4Address("10.0.0.0").Get() + 4 * i);
		Ipv4Address receiver_subnet(Ipv4Address("10.128.0.0").Get() + 4 * i);
		attach(senders.Get(i), routers.Get(0), left_routes, sender_subnet, wire);
		attach(receivers.Get(i), routers.Get(1), right_routes, receiver_subnet, wire);

		PacketSinkHelper sink("ns3::TcpSocketFactory",
				      InetSocketAddress(Ipv4Address::GetAny(), port));
		sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0)));

		Ipv4Address receiver_address(receiver_subnet.Get() + 1);
		BulkSendHelper bulk("ns3::TcpSocketFactory",
				    InetSocketAddress(receiver_address, port));
		// One write per segment, so that ns-3 never assembles a segment from several
		// writes.
		bulk.SetAttribute("SendSize", UintegerValue(segment));
		bulk.SetAttribute("MaxBytes", UintegerValue(0));
		bulk.Install(senders.Get(i));
	}
}

uint32_t segment_of(const options &chosen)
{
	return ip_packet - ip_and_tcp_headers - (chosen.timestamps ? timestamps_option : 0);
}

// Returns false after an error message if an option is out of its range.
bool read_options(options &chosen, int argc, char **argv)
{
	CommandLine cmd(__FILE__);
	cmd.Usage("Bulk TCP transfers through one bottleneck; prints one line of JSON.");
	cmd.AddValue("flows", "number of senders, each with its own receiver", chosen.flows);
	cmd.AddValue("seconds", "simulated seconds", chosen.seconds);
	cmd.AddValue("sack", "selective acknowledgements", chosen.sack);
	cmd.AddValue("timestamps", "TCP timestamps: 1448 bytes in a segment, without them 1460",
		     chosen.timestamps);
	cmd.AddValue("sndbuf", "send buffer in bytes", chosen.sndbuf);
	cmd.AddValue("rate", "rate of the bottleneck", chosen.rate);
	cmd.AddValue("queue", "buffer of the bottleneck in packets", chosen.queue);
	cmd.Parse(argc, argv);
	if (chosen.flows < 1 || chosen.flows > max_flows || !(chosen.seconds > 0)) {
		fprintf(stderr, "wan: --flows must be 1 to %u, and --seconds more than 0\n",
			max_flows);
		return false;
	}

	uint32_t segment = segment_of(chosen);
	// ns-3 3.37 crashes with a segmentation fault after a loss if the receive window and not
	// the send buffer limits a sender.
	if (chosen.sndbuf < segment || chosen.sndbuf > receive_buffer) {
		fprintf(stderr,
			"wan: --sndbuf must be %u to %u (a segment to the receive buffer)\n",
			segment, receive_buffer);
		return false;
	}
	return true;
}

} // namespace

int main(int argc, char **argv)
{
	stopwatch process;
	options chosen;
	if (!read_options(chosen, argc, argv))
		return 2;

	uint32_t segment = segment_of(chosen);
	set_tcp_defaults(chosen, segment);
	dumbbell network(chosen, segment);

	stopwatch run;
	Simulator::Stop(Seconds(chosen.seconds));
	Simulator::Run();
	double wall_run = run.wall(), cpu_run = run.cpu();

	uint64_t events = Simulator::GetEventCount(), total = 0;
	// Flows that delivered data. The SYNs of the others were lost, because more flows started
	// at once than the queue holds.
	uint32_t alive = 0;
	std::string bytes;
	for (const auto &sink : network.sinks) {
		total += sink->GetTotalRx();
		alive += sink->GetTotalRx() > 0;
		bytes += (bytes.empty() ? "" : ",") + std::to_string(sink->GetTotalRx());
	}
	uint64_t access_drops = 0;
	for (uint32_t i = 0; i < network.access.GetN(); i++)
		access_drops += dropped(network.access.Get(i));
	uint32_t drops = dropped(network.left_end), ack_drops = dropped(network.right_end);
	uint32_t packets = carried(network.left_end), acks = carried(network.right_end);
	Simulator::Destroy();

	printf("{\"simulator\":\"ns-3\",\"flows\":%u,\"simulated_s\":%g,\"rate\":\"%s\","
	       "\"queue\":%u,\"sack\":%s,\"segment\":%u,\"sndbuf\":%u,",
	       chosen.flows, chosen.seconds, chosen.rate.c_str(), chosen.queue,
	       chosen.sack ? "true" : "false", segment, chosen.sndbuf);
	printf("\"alive_flows\":%u,\"bytes\":[%s],\"total_bytes\":%ju,\"goodput_mbit_s\":%.3f,",
	       alive, bytes.c_str(), uintmax_t(total), double(total) * 8e-6 / chosen.seconds);
	printf("\"bottleneck_drops\":%u,\"bottleneck_packets\":%u,\"bottleneck_acks\":%u,"
	       "\"ack_drops\":%u,\"access_drops\":%ju,\"events\":%ju,",
	       drops, packets, acks, ack_drops, uintmax_t(access_drops), uintmax_t(events));
	printf("\"wall_run_s\":%.3f,\"wall_s\":%.3f,\"cpu_run_s\":%.3f,\"cpu_s\":%.3f,"
	       "\"peak_kb\":%ld}\n",
	       wall_run, process.wall(), cpu_run, stopwatch::user_cpu(),
	       stopwatch::usage().ru_maxrss);
	return 0;
}
