// server PORT SIZE RATE: sends SIZE bytes to each client that connects, at a reserved rate of RATE
// bytes per second.
//
//	go run examples/tcp-qos/server.go 8000 100000 125000
package main

import (
	"log"
	"net"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const tcpQoS = 0x4f51 // bpf/include/onramp/tcp_qos.h

type tcpQoSValue struct {
	rateBytesPerS        uint64
	burstBytes, reserved uint32
}

func reserve(connection *net.TCPConn, rate uint64) error {
	qos := tcpQoSValue{rateBytesPerS: rate}
	value := (*[unsafe.Sizeof(qos)]byte)(unsafe.Pointer(&qos))[:]
	raw, err := connection.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, tcpQoS, string(value))
	})
	if failed != nil {
		return failed
	}
	return err
}

func number(argument string) int {
	value, err := strconv.Atoi(argument)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: server PORT SIZE RATE")
	}
	port, size, rate := number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	server, err := net.ListenTCP("tcp", &net.TCPAddr{Port: port})
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := server.AcceptTCP()
		if err != nil {
			log.Fatal(err)
		}
		if err := reserve(connection, uint64(rate)); err != nil {
			// The connection sends without a reservation.
			log.Print("cannot reserve: ", err)
		}
		connection.Write(make([]byte, size))
		connection.Close()
	}
}
